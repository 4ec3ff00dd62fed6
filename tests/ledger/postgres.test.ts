import { afterAll, describe } from 'vitest';
import { silentLogger } from '../../src/core/log.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { startPostgres } from '../support/postgres.ts';
import { storeContract } from '../support/ledger/contract.ts';
import { budgetContract } from '../support/ledger/budget-contract.ts';
import { callsContract } from '../support/ledger/calls-contract.ts';
import { leakContract } from '../support/ledger/leak-contract.ts';
import { meterContract } from '../support/ledger/meter-contract.ts';
import type { Engine } from '../support/ledger/world.ts';
import { usageContract } from '../support/ledger/usage-contract.ts';
import { sized } from '../support/sized.ts';
import { unitContract } from '../support/ledger/unit-contract.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const postgresEngine: Engine = {
  name: 'PostgreSQL',
  fresh: async (clock) => {
    const url = (await server?.migratedUrl()) ?? '';
    const opened: Database[] = [];
    const again = () => {
      const database = openPostgres({ url, clock, log: silentLogger, ownTime: true, deadlineMs: 30_000 });
      opened.push(database);
      return database;
    };
    return {
      database: again(),
      again,
      dispose: async () => {
        await Promise.all(opened.map((database) => database.close()));
      },
    };
  },
};

describe.skipIf(server === undefined)('on a real server', () => {
  storeContract(postgresEngine);
  callsContract(postgresEngine);
  meterContract(postgresEngine);
  unitContract(postgresEngine);
  budgetContract(postgresEngine);
  leakContract(postgresEngine);
  usageContract(postgresEngine, sized('the same on PostgreSQL', { small: 2, large: 100, full: 1_000 }));
});
