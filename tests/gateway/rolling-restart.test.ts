import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tavilySim } from '../../src/sim/tavily.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { sized, testSize } from '../support/sized.ts';
import { until } from '../support/until.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startGateway, type GatewayProcess } from '../support/gateway/processes.ts';

/** F66: three gateways, as users run them, on one PostgreSQL; each is stopped with SIGTERM and started again while clients go on calling. */
const postgres: TestPostgres | undefined = await startPostgres();
const ADMIN = 'admin-token-of-the-rolling-restart';
const CREDIT = 8_000;
const MONEY = 100_000_000;
const CLIENTS = 9;
/** Clients call all the time that a restart takes, so slow answers are what keeps the calls few. */
const ANSWER_MS = testSize() === 'small' ? 400 : 60;
/** How many calls are answered between one restart and the next. */
const CALLS_BETWEEN = sized('calls between two restarts of a gateway', { small: 8, large: 40, full: 40 });
/** How many of the three are stopped and started again. */
const RESTARTS = sized('gateways that are restarted under load', { small: 1, large: 3, full: 3 });
/** How many gateways are killed while they run a research. */
const KILLS = sized('gateways that are killed with a research', { small: 1, large: 3, full: 9 });
/** A gateway that takes so long to end did not end because its calls had. */
const DRAIN_SECONDS = 60;
const PATIENCE_MS = 60_000;
/** Two of three gateways are always there: a client tries again for as long as one call takes, 2 ms apart, and no longer. */
const TRIES_MAX = 200;

let sim: Sim;
let home: string;
let storeUrl: string;
const members: GatewayProcess[] = [];
beforeAll(async () => {
  if (postgres === undefined) return;
  sim = await startSim({ upstreams: [tavilySim] });
  home = mkdtempSync(join(tmpdir(), 'headgate-rolling-'));
  storeUrl = await postgres.migratedUrl();
  // One after the other: the first makes the tables.
  for (let index = 0; index < 3; index += 1) members.push(await start(index));
}, 120_000);
afterAll(async () => {
  for (const member of members) member.process.kill('SIGKILL');
  await sim?.close();
  await postgres?.stop();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

const start = (index: number): Promise<GatewayProcess> =>
  startGateway({
    HEADGATE_HOME: join(home, String(index)),
    HEADGATE_STORE__URL: storeUrl,
    HEADGATE_SERVER__ADMIN_TOKEN: ADMIN,
    HEADGATE_SERVER__REQUESTS_PER_MINUTE: '1000000',
    HEADGATE_SERVER__DRAIN_SECONDS: String(DRAIN_SECONDS),
    // Indexing what is installed here is another test's, and would keep the processors from this one.
    HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
    HEADGATE_TIERS__PRO__CALLS_FREE: '0',
    HEADGATE_SEARCH__PROVIDER: 'tavily',
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim.url}/tavily`,
    HEADGATE_EXTRACT__PROVIDER: 'tavily',
    TAVILY_API_KEY: 'tvly-works',
  });

/** SIGTERM, wait for the end, start again in its place. Returns how long it drained, and its exit code. */
async function restart(index: number): Promise<{ ms: number; code: number | null }> {
  const old = members[index] as GatewayProcess;
  const begun = performance.now();
  old.process.kill('SIGTERM');
  const [code] = (await once(old.process, 'exit')) as [number | null];
  const ms = performance.now() - begun;
  members[index] = await start(index);
  return { ms, code };
}

const admin = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`${members[0]?.url}/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
};

/** One call as a careful client makes it: the next gateway when one is not there, and the same idempotency key for each try. */
async function call(query: string, key: string, turn: number): Promise<{ status: number; tries: number[] }> {
  let status = 0;
  const tries: number[] = [];
  await until(async () => {
    const { url } = members[(turn + tries.length) % members.length] as GatewayProcess;
    status = await fetch(`${url}/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': query },
      body: JSON.stringify({ query }),
    }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 0,
    );
    tries.push(status);
    // Nobody there, still at work on the same call for a client that is gone, or about to end.
    return ![0, 409, 503].includes(status);
  }, PATIENCE_MS);
  return { status, tries };
}

describe.skipIf(postgres === undefined)('F66: a rolling restart of three gateways under load', () => {
  test('no call fails, none is charged twice, and nothing stays held', { timeout: 240_000 }, async () => {
    const workspace = await admin('POST', '/workspaces', { name: 'Team', tier: 'pro' });
    const subscription = String(workspace['subscription']);
    await admin('POST', `/subscriptions/${subscription}/top-up`, { amount: MONEY });
    const { key } = await admin('POST', '/keys', { workspace: workspace['id'], label: 'load' });
    sim.script('/tavily/search', [{ kind: 'delay', ms: ANSWER_MS, times: 'always' }]);

    const results: { status: number; tries: number[] }[] = [];
    const over = new AbortController();
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; !over.signal.aborted; turn += 1)
        results.push(await call(`${subscription}-${client}-${turn}`, String(key), client + turn));
    });
    const answered = async (more: number): Promise<void> => {
      const enough = results.length + more;
      await until(() => results.length >= enough, PATIENCE_MS);
    };
    const restarts = [];
    for (let index = 0; index < RESTARTS; index += 1) {
      await answered(CALLS_BETWEEN);
      restarts.push(await restart(index));
    }
    await answered(CALLS_BETWEEN);
    over.abort();
    await Promise.all(clients);

    expect(restarts.map(({ code }) => code)).toEqual(restarts.map(() => 0));
    expect(Math.max(...restarts.map(({ ms }) => ms))).toBeLessThan(DRAIN_SECONDS * 1_000);
    expect(results.filter(({ status }) => status !== 200)).toEqual([]);
    // A client tries again only where a gateway is gone or going, and finds another one soon.
    expect(Math.max(...results.map(({ tries }) => tries.length))).toBeLessThan(TRIES_MAX);
    expect((await admin('GET', '/holds'))['holds']).toEqual([]);
    const account = await admin('GET', `/subscriptions/${subscription}`);
    expect((MONEY - Number(account['balance'])) / CREDIT).toBe(results.length);
    const { usage } = await admin('GET', `/usage?provider=tavily&subscription=${subscription}`);
    expect(usage).toMatchObject([{ calls: results.length, credits: results.length, late: 0 }]);
  });

  test(
    'a research of a gateway that is killed goes on at another, which pays for nothing again',
    { timeout: 400_000 },
    async () => {
      const workspace = await admin('POST', '/workspaces', { name: 'Researchers', tier: 'pro' });
      const subscription = String(workspace['subscription']);
      await admin('POST', `/subscriptions/${subscription}/top-up`, { amount: MONEY });
      const { key } = await admin('POST', '/keys', { workspace: workspace['id'], label: 'research' });
      const headers = { authorization: `Bearer ${String(key)}` };
      const ask = async (index: number, path: string, body?: object): Promise<Record<string, unknown>> => {
        const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
        const response = await fetch(`${members[index % 3]?.url}${path}`, { headers, ...init });
        return (await response.json()) as Record<string, unknown>;
      };
      const queries = (): string[] =>
        sim.requests.map(({ body }) => String((JSON.parse(body) as { query?: string }).query));
      let paid = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        sim.reset();
        // The first search is answered and saved; then it is killed.
        sim.script('/tavily/search', [
          { kind: 'delay', ms: 1 },
          { kind: 'hang', times: 'always' },
        ]);
        const input = `tidal mills ${kill}`;
        const { request_id: id } = await ask(kill, '/research', { input, model: 'mini' });
        await until(() => sim.requests.length > 1);
        expect(queries()[0]).toBe(input);
        const streamed = fetch(`${members[(kill + 2) % 3]?.url}/research/${String(id)}?stream=true`, {
          headers,
        });
        const killed = members[kill % 3]?.process;
        killed?.kill('SIGKILL');
        if (killed?.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
        // What it had sent arrives before its connections end, and is not what the next one asks.
        await until(() => sim.load.active === 0);
        sim.reset();
        if (testSize() === 'small') await endLeases();
        expect(await (await streamed).text()).toMatch(/event: done$/);
        expect(await ask(kill + 1, `/research/${String(id)}`)).toMatchObject({ status: 'completed' });
        expect(queries()).not.toContain(input);
        paid += 1 + sim.requests.length;
        members[kill % 3] = await start(kill % 3);
      }
      const { usage } = await admin('GET', `/usage?provider=tavily&subscription=${subscription}`);
      // What was asked and never answered stays held until its doubt is settled.
      expect(usage).toMatchObject([{ charged: paid * CREDIT, inDoubt: 0 }]);
    },
  );
});

/** The test does not wait for the end of a dead gateway's lease. */
async function endLeases(): Promise<void> {
  const client = new Client(storeUrl);
  await client.connect();
  await client.query('UPDATE research_sessions SET lease = 2 WHERE lease > 0');
  await client.end();
}
