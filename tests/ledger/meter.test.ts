import { meterContract } from './meter-contract.ts';
import { sqliteEngine } from './world.ts';

meterContract(sqliteEngine);
