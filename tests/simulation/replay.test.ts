import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/core/log.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { startPostgres } from '../support/postgres.ts';
import { makeHistory } from '../support/simulation/history.ts';
import { play } from '../support/simulation/play.ts';
import { replay, simulatedBooks } from '../support/simulation/replay.ts';
import { sized } from '../support/sized.ts';

/** One in a thousand of the histories that are simulated. */
const HISTORIES = sized('histories replayed on real databases', { small: 2, large: 40, full: 1_000 });
const seeds = Array.from({ length: HISTORIES }, (_, index) => (index + 1) * 1_000);
const postgres = await startPostgres();
afterAll(() => postgres?.stop());

test('a history ends in the same books on SQLite', async () => {
  for (const seed of seeds) {
    const path = join(mkdtempSync(join(tmpdir(), 'headgate-replay-')), 'headgate.db');
    const played = await play(makeHistory(seed));
    const books = await replay(played, (clock) =>
      openSqlite({ path, clock, exclusive: false, deadlineMs: 30_000 }),
    );
    expect({ seed, books }).toEqual({ seed, books: simulatedBooks(played) });
  }
}, 3_600_000);

test.skipIf(postgres === undefined)(
  'a history ends in the same books on PostgreSQL',
  async () => {
    for (const seed of seeds) {
      const url = (await postgres?.migratedUrl()) ?? '';
      const played = await play(makeHistory(seed));
      const books = await replay(played, (clock) =>
        openPostgres({ url, clock, log: silentLogger, ownTime: true, deadlineMs: 30_000 }),
      );
      expect({ seed, books }).toEqual({ seed, books: simulatedBooks(played) });
    }
  },
  3_600_000,
);
