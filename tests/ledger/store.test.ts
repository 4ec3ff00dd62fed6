import { storeContract } from '../support/ledger/contract.ts';
import { sqliteEngine } from '../support/ledger/world.ts';

storeContract(sqliteEngine);
