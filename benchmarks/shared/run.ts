// What shared limits and pace cost a call: four gateways' shared state on one PostgreSQL, beside the counters of one process. Prints JSON.
import { loadavg } from 'node:os';
import { systemClock as clock } from '../../src/core/clock.ts';
import { silentLogger as log } from '../../src/core/log.ts';
import { createMemoryShared, type Shared } from '../../src/core/shared.ts';
import { createPace } from '../../src/net/pace.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { createPostgresShared } from '../../src/store/postgres/shared.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import { quantile } from '../gateway/load.ts';

const GATEWAYS = 4;
const CALLERS = 8;
const LIMITS = [60, 100, 1_000, 10_000];
const TURNS = 200;
const TURN_MS = 10;

const server = await startPostgres();
if (server === undefined) throw new Error('This benchmark needs PostgreSQL.');
const url = await server.freshUrl();
const members = Array.from({ length: GATEWAYS }, () => {
  const database = openPostgres({ url, clock, log });
  return { database, shared: createPostgresShared({ url, database, clock, log, onLoss: 'closed' }) };
});
const gateways = members.map(({ shared }) => shared);
const signal = new AbortController().signal;
const operations = (): number => gateways.reduce((sum, gateway) => sum + gateway.status().operations, 0);

/** Every caller takes until it is refused; what a call that was admitted took. */
async function take(of: Shared[], requests: number): Promise<number[]> {
  const ms: number[] = [];
  const caller = async (gateway: Shared): Promise<void> => {
    for (;;) {
      const started = performance.now();
      const refused = await gateway.take(`key ${requests}`, { requests, perMs: 60_000 });
      if (refused !== undefined) return;
      ms.push(performance.now() - started);
      // A call has more to do than to be admitted.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(of.flatMap((gateway) => Array.from({ length: CALLERS }, () => caller(gateway))));
  return ms;
}

for (const gateway of gateways) await gateway.take('warm', { requests: 1_000, perMs: 60_000 });
const limits: Record<string, object> = {};
for (const requests of LIMITS) {
  const before = operations();
  const ms = await take(gateways, requests);
  const asked = operations() - before;
  const alone = await take([createMemoryShared({ clock })], requests);
  limits[`${requests} per minute`] = {
    admitted: ms.length,
    operations_per_call: Math.round((asked / ms.length) * 1_000) / 1_000,
    p50_ms: quantile(ms, 0.5),
    p99_ms: quantile(ms, 0.99),
    p50_ms_in_memory: quantile(alone, 0.5),
  };
}
const paces = gateways.map((shared) => createPace({ clock, shared }));
const before = operations();
const turns: number[] = [];
await Promise.all(
  Array.from({ length: TURNS }, async (_, index) => {
    await paces[index % paces.length]?.wait('provider', TURN_MS, signal);
    turns.push(performance.now());
  }),
);
const gaps = turns.slice(1).map((turn, index) => turn - (turns[index] ?? 0));
console.log(
  JSON.stringify(
    {
      load: loadavg()[0],
      gateways: GATEWAYS,
      limits,
      pace: {
        interval_ms: TURN_MS,
        turns: TURNS,
        shortest_gap_ms: quantile(gaps, 0),
        p50_gap_ms: quantile(gaps, 0.5),
        operations_per_call: Math.round(((operations() - before) / TURNS) * 1_000) / 1_000,
      },
    },
    null,
    2,
  ),
);
for (const { shared, database } of members) {
  await shared.close();
  await database.close();
}
await server.stop();
