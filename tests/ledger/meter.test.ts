import { budgetContract } from '../support/ledger/budget-contract.ts';
import { callsContract } from '../support/ledger/calls-contract.ts';
import { meterContract } from '../support/ledger/meter-contract.ts';
import { sqliteEngine } from '../support/ledger/world.ts';
import { unitContract } from '../support/ledger/unit-contract.ts';

callsContract(sqliteEngine);
meterContract(sqliteEngine);
unitContract(sqliteEngine);
budgetContract(sqliteEngine);
