import { meterContract } from '../support/ledger/meter-contract.ts';
import { sqliteEngine } from '../support/ledger/world.ts';

meterContract(sqliteEngine);
