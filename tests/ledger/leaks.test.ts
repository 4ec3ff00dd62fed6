import { leakContract } from '../support/ledger/leak-contract.ts';
import { sqliteEngine } from '../support/ledger/world.ts';

leakContract(sqliteEngine);
