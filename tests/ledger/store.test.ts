import { storeContract } from './contract.ts';
import { sqliteEngine } from './world.ts';

storeContract(sqliteEngine);
