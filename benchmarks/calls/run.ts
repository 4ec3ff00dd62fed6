// The call log: a first page of any filter over a million rows, on SQLite and PostgreSQL; what logging costs a call; and that trimming holds
// its bound. `--rows N` for fewer rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createHttpApp } from '../../src/gateway/app.ts';
import { type CallFilter, createCalls, trimCalls } from '../../src/store/calls.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { createTestGateway } from '../../tests/support/gateway/gateway.ts';
import { CALL_COLUMNS } from '../../src/store/ledger/columns.ts';
import { randomCall } from '../../tests/support/ledger/random-call.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const ROWS = Number(values.rows);
const DAY_MS = 86_400_000;
const PAGES = 20;
const COPIED = 5_000;

/** Every column, with a usual value, a rare one and one that nobody has. */
const FILTERS: Record<string, CallFilter> = {
  none: {},
  'workspace, usual': { workspace: 'ws_a' },
  'workspace, unknown': { workspace: 'ws_none' },
  'agent, rare': { agent: 'rare' },
  key: { key: 'key_a' },
  'key, unknown': { key: 'key_none' },
  'person, rare': { person: 'rare' },
  operation: { operation: 'map' },
  'operation, unknown': { operation: 'none' },
  provider: { provider: 'tavily' },
  'provider, rare': { provider: 'rare' },
  surface: { surface: 'library' },
  'outcome, usual': { outcome: 'ok' },
  'outcome, rare': { outcome: 'rare' },
  'code, rare': { code: 'rare' },
  'policy, rare': { policy: 'rare' },
  cached: { cached: true },
  credits: { credits: 10 },
  tokens: { tokens: 500 },
  'ms, nobody': { ms: 1_000_000 },
  'request ID': { request: 'request-rare' },
  'a day': { from: 0, to: DAY_MS },
  'text, nobody': { text: 'nowhere' },
  'workspace and text': { workspace: 'ws_a', text: 'tidal' },
  'workspace and outcome, rare': { workspace: 'ws_c', outcome: 'rare' },
};

/** A thirty-second part is written as calls are, the rest is copied from it with other times. */
async function fill(database: Database, now: number): Promise<{ rowsPerSecond: number }> {
  const random = seededRandom(11);
  const part = ROWS / 32;
  const started = performance.now();
  for (let made = 0; made < part; made += 250) {
    const rows = Array.from({ length: Math.min(250, part - made) }, (_, index) =>
      randomCall(random, now - Math.floor(((part - made - index) / part) * (28 / 32) * DAY_MS)),
    );
    await database.log(rows);
  }
  const rowsPerSecond = (part / (performance.now() - started)) * 1_000;
  const others = CALL_COLUMNS.filter((column) => column !== 'at' && column !== 'request').join(', ');
  const calls = createCalls(database);
  for (let copies = 1; copies < 32; copies *= 2) {
    const shift = copies * Math.floor((28 / 32) * DAY_MS);
    const copy = `INSERT INTO calls (at, request, ${others})
      SELECT at - ${shift}, request || '-${copies}', ${others} FROM calls WHERE seq > ? AND seq <= ?`;
    const last = await calls.latest();
    for (let from = 0; from < last; from += COPIED)
      await database.write([{ sql: copy, values: [from, Math.min(from + COPIED, last)] }]);
  }
  // A few rows of all have what is looked for.
  const rare = ['agent', 'person', 'provider', 'outcome', 'code', 'policy'].map(
    (column) => `${column} = 'rare'`,
  );
  await database.write([
    {
      sql: `UPDATE calls SET ${rare.join(', ')}, request = 'request-rare' WHERE seq % ${Math.floor(ROWS / 5)} = 7`,
    },
  ]);
  return { rowsPerSecond };
}

async function measureReads(name: string, database: Database) {
  const now = Date.now();
  const { rowsPerSecond } = await fill(database, now);
  if (database.dialect === 'postgres') await database.write([{ sql: 'ANALYZE calls' }]);
  const calls = createCalls(database);
  const rows = [];
  for (const [filter, wanted] of Object.entries(FILTERS)) {
    const shifted = wanted.to === undefined ? wanted : { from: now - 10 * DAY_MS, to: now - 9 * DAY_MS };
    const times: number[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      const started = performance.now();
      await calls.page(shifted, { limit: 50 });
      times.push(performance.now() - started);
    }
    const sorted = times.toSorted((a, b) => a - b);
    rows.push({ store: name, filter, p50_ms: sorted[PAGES / 2], p95_ms: sorted[Math.floor(PAGES * 0.95)] });
  }
  process.stderr.write(`${JSON.stringify({ rowsPerSecond, rows })}\n`);
  const bound = Math.floor(ROWS * 0.98);
  const trimmed = performance.now();
  for (let round = 0; round < 4; round += 1)
    await trimCalls(database, { days: 30, rows: bound, textBytes: 1e12 }, now);
  const [left] = await database.read('SELECT count(*) AS rows FROM calls');
  const trim_ms = performance.now() - trimmed;
  return {
    rows,
    store: { name, rows_per_second: rowsPerSecond, bound, left: Number(left?.['rows']), trim_ms },
  };
}

/** The same gateway with and without the log, in turns, by processor time of the whole process. */
async function measureCost() {
  const gateway = await createTestGateway({
    config: {
      'providers.tavily.api_key': 'tvly-test',
      'search.provider': 'tavily',
      'tiers.pro.calls_free': 0,
      'server.requests_per_minute': 1_000_000,
    },
  });
  const { key, subscription } = await gateway.newKey({ tier: 'pro' });
  await gateway.store.accounts.topUp({ subscription, amount: 1_000_000_000 });
  const { meter, ...services } = gateway.parts.services;
  if (meter === undefined) throw new Error('A gateway has a meter.');
  const unlogged = { ...services, meter: { ...meter, calls: undefined } };
  const apps = { with: gateway.app, without: createHttpApp({ ...gateway.parts, services: unlogged }).app };
  let asked = 0;
  const block = async (app: (typeof apps)['with'], isCharged: boolean) => {
    const count = isCharged ? 300 : 1_500;
    const before = process.cpuUsage();
    const started = performance.now();
    let left = count;
    const caller = async (): Promise<void> => {
      while (left-- > 0) {
        const query = isCharged ? `mills ${(asked += 1)}` : 'mills from memory';
        const response = await app.request('http://127.0.0.1/search', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ query }),
        });
        if (response.status !== 200) throw new Error(await response.text());
      }
    };
    await Promise.all(Array.from({ length: 16 }, caller));
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / 1_000 / count, wall: (performance.now() - started) / count };
  };
  const rows = [];
  for (const isCharged of [true, false]) {
    const sums = {
      with: [] as number[],
      without: [] as number[],
      withWall: [] as number[],
      withoutWall: [] as number[],
    };
    const turns = Array.from({ length: 7 }, (_, round) =>
      round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const),
    ).flat();
    for (const [turn, way] of turns.entries()) {
      const { cpu, wall } = await block(apps[way], isCharged);
      // The first round warms up.
      if (turn < 2) continue;
      sums[way].push(cpu);
      sums[`${way}Wall`].push(wall);
    }
    const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    rows.push({
      calls: isCharged ? 'charged' : 'from memory',
      with_cpu_ms: median(sums.with),
      without_cpu_ms: median(sums.without),
      ratio: median(sums.without) / median(sums.with),
      with_per_second: 1_000 / median(sums.withWall),
      without_per_second: 1_000 / median(sums.withoutWall),
    });
  }
  await gateway.close();
  return rows;
}

const cost = await measureCost();
const folder = mkdtempSync(join(tmpdir(), 'headgate-calls-'));
const sqlite = openSqlite({
  path: join(folder, 'headgate.db'),
  clock: systemClock,
  exclusive: true,
  deadlineMs: 600_000,
});
const measured = [await measureReads('SQLite', sqlite)];
await sqlite.close();
rmSync(folder, { recursive: true, force: true });
const server = await startPostgres();
if (server !== undefined) {
  const postgres = openPostgres({
    url: await server.freshUrl(),
    clock: systemClock,
    log: silentLogger,
    deadlineMs: 600_000,
  });
  measured.push(await measureReads('PostgreSQL', postgres));
  await postgres.close();
  await server.stop();
}
console.log(
  JSON.stringify({
    rows: ROWS,
    cost,
    pages: measured.flatMap(({ rows }) => rows),
    stores: measured.map(({ store }) => store),
  }),
);
