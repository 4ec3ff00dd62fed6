import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { tavilySim } from '../../src/sim/tavily.ts';
import { ADMIN, createTestGateway } from '../support/gateway/gateway.ts';
import { startGateway } from '../support/gateway/processes.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sayNotRun } from '../support/not-run.ts';
import { sized, testSize } from '../support/sized.ts';

/** Gateways on one PostgreSQL: processes as users run them, or in a small run several in this process. */
const postgres: TestPostgres | undefined = await startPostgres();
const isSmall = testSize() === 'small';
if (isSmall) sayNotRun('pace and cooldowns of four gateway processes', 'HEADGATE_TEST_SIZE=large');
const GATEWAYS = 4;
const CALLERS = sized('callers that share a limit', { small: 32, large: 128, full: 128 });
/** A small run is over before its window is; what it may not exceed is a number of calls, not a time. */
const WINDOW_S = testSize() === 'large' ? 10 : 60;
const CALLS_MAX = isSmall ? 300 : Infinity;
const LIMIT = 100;
const ADMITTED = 400;
const PACE_MS = 1_000;
const PACED_CALLS = sized('requests of several gateways at one pace', { small: 20, large: 20, full: 300 });
const WINDOWS = sized('windows of a shared limit', { small: 1, large: 3, full: 5 });

interface Member {
  request(path: string, init?: RequestInit): Promise<Response>;
  kill(): Promise<void>;
}

let sim: Sim;
let home: string;
beforeAll(async () => {
  if (postgres === undefined) return;
  sim = await startSim({ upstreams: [tavilySim] });
  home = mkdtempSync(join(tmpdir(), 'headgate-several-'));
});
const started: Member[] = [];
afterAll(async () => {
  await Promise.all(started.map((member) => member.kill()));
  await sim?.close();
  await postgres?.stop();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

const settingsOf = (storeUrl: string) => ({
  'store.url': storeUrl,
  'server.admin_token': ADMIN,
  'server.requests_per_minute': (LIMIT * 60) / WINDOW_S,
  'server.requests_window_seconds': WINDOW_S,
  'library.index_project': false,
  'tiers.pro.calls_free': 100_000,
  'search.provider': 'tavily',
  'providers.tavily.base_url': `${sim.url}/tavily`,
  'providers.tavily.api_key': 'tvly-works',
});

/** A process of its own, in the larger sizes. */
async function startProcess(settings: Record<string, unknown>): Promise<Member> {
  const env = Object.entries(settings).map(([name, value]) => [
    `HEADGATE_${name.toUpperCase().replaceAll('.', '__')}`,
    String(value),
  ]);
  const folder = mkdtempSync(join(home, 'gateway-'));
  const { url, process: child } = await startGateway({ HEADGATE_HOME: folder, ...Object.fromEntries(env) });
  return {
    request: (path, init) => fetch(url + path, init),
    kill: async () => void child.kill('SIGKILL'),
  };
}

async function startMember(settings: Record<string, unknown>): Promise<Member> {
  if (!isSmall) return startProcess(settings);
  const gateway = await createTestGateway({
    config: settings,
    after: { home: mkdtempSync(join(home, 'gateway-')), sim },
  });
  return {
    request: async (path, init) => gateway.app.request(`http://127.0.0.1${path}`, init),
    kill: () => gateway.stop(),
  };
}

async function startGateways(storeUrl: string, settings: Record<string, unknown> = {}): Promise<Member[]> {
  const all = { ...settingsOf(storeUrl), ...settings };
  // The first makes the tables.
  const first = await startMember(all);
  await first.request('/readyz');
  const others = await Promise.all(Array.from({ length: GATEWAYS - 1 }, () => startMember(all)));
  const members = [first, ...others];
  started.push(...members);
  return members;
}

async function newKey(member: Member | undefined): Promise<string> {
  const post = async (path: string, body: object) =>
    (await (
      await member?.request(`/admin${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    )?.json()) as Record<string, unknown>;
  const workspace = await post('/workspaces', { name: 'Team', tier: 'pro' });
  return String((await post('/keys', { workspace: workspace['id'], label: 'shared' }))['key']);
}

interface Served {
  /** When the caller asked, and when it had the answer: it was admitted between the two. */
  from: number;
  to: number;
  status: number;
  retryAfter: string | null;
}

/** Callers that ask random gateways again and again, for so long. */
async function ask(members: Member[], key: string, forMs: number, callsMax = CALLS_MAX): Promise<Served[]> {
  const served: Served[] = [];
  const random = seededRandom(7);
  const end = performance.now() + forMs;
  const caller = async () => {
    while (performance.now() < end && served.length < callsMax) {
      const member = members[Math.floor(random() * members.length)] as Member;
      const from = performance.now();
      // A call without a query is counted and costs nothing more: it is admitted, then found invalid.
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await member.request('/search', { method: 'POST', headers, body: '{}' });
      await response.text();
      const to = performance.now();
      served.push({ from, to, status: response.status, retryAfter: response.headers.get('retry-after') });
      // A refused caller does not spin.
      if (response.status === 429) await new Promise((resolve) => setTimeout(resolve, 20 + random() * 60));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return served;
}

/** The most calls that were certainly admitted within one window: asked and answered inside of it. */
function mostInWindow(served: Served[], windowMs: number): number {
  const ok = served.filter(({ status }) => status === ADMITTED);
  return Math.max(
    0,
    ...ok.map(({ from }) => ok.filter((one) => one.from >= from && one.to < from + windowMs).length),
  );
}

describe.skipIf(postgres === undefined)('several gateways on one PostgreSQL', () => {
  test(
    `${GATEWAYS} gateways admit as many calls of a key as one, in every window, and nearly all of them`,
    { timeout: 600_000 },
    async () => {
      const windowMs = WINDOW_S * 1_000;
      const shared = await startGateways((await postgres?.freshUrl()) ?? '');
      const key = await newKey(shared[0]);
      const served = await ask(shared, key, windowMs * WINDOWS);
      const ok = served.filter(({ status }) => status === ADMITTED).length;
      expect(new Set(served.map(({ status }) => status))).toEqual(new Set([ADMITTED, 429]));
      expect(served.every(({ status, retryAfter }) => status === ADMITTED || Number(retryAfter) >= 1)).toBe(
        true,
      );
      expect(mostInWindow(served, windowMs)).toBeLessThanOrEqual(LIMIT);
      expect(ok).toBeGreaterThanOrEqual(0.95 * LIMIT * WINDOWS);
    },
  );

  test.skipIf(isSmall)(
    'gateways that count for themselves admit the limit once each',
    { timeout: 120_000 },
    async () => {
      const url = (await postgres?.freshUrl()) ?? '';
      const members = await startGateways(url, { 'scale.shared': false });
      const key = await newKey(members[0]);
      const served = await ask(members, key, 10_000, LIMIT * GATEWAYS * 1.5);
      const ok = served.filter(({ status }) => status === ADMITTED).length;
      expect(ok).toBeGreaterThan(2 * LIMIT);
      expect(ok).toBeLessThanOrEqual(GATEWAYS * LIMIT);
    },
  );

  test(
    'a provider that refuses a key at one gateway is asked by no other',
    { timeout: 120_000 },
    async () => {
      const url = (await postgres?.freshUrl()) ?? '';
      const members = await startGateways(url, { 'search.retries': 0, 'search.timeout_ms': 2_000 });
      const key = await newKey(members[0]);
      const search = (member: Member | undefined, query: string) =>
        member?.request('/search', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
      for (const member of members) expect((await search(member, 'warm up'))?.status).toBe(200);
      for (const [round, status] of [432, 429].entries()) {
        sim.reset();
        const headers = { 'retry-after': '3' };
        sim.script('/tavily/search', [{ kind: 'status', status, headers }]);
        expect((await search(members[round], `refused ${round}`))?.status).toBe(status);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const asked = sim.requests.length;
        const answers = await Promise.all(
          members.map(async (member, index) => search(member, `${round} ${index}`)),
        );
        expect(answers.map((answer) => answer?.status)).toEqual(members.map(() => status));
        expect(sim.requests.length).toBe(asked);
        if (status === 432) await new Promise((resolve) => setTimeout(resolve, 3_000));
      }
    },
  );

  test.skipIf(isSmall)(
    `a provider with a pace is asked at that pace by ${GATEWAYS} gateways together`,
    { timeout: 600_000 },
    async () => {
      const arrivals: number[] = [];
      const upstream = createServer((request, response) => {
        arrivals.push(performance.now());
        request.resume().on('end', () => response.end(JSON.stringify({ query: '', results: [] })));
      }).listen(0, '127.0.0.1');
      await once(upstream, 'listening');
      const { port } = upstream.address() as AddressInfo;
      const members = await startGateways((await postgres?.freshUrl()) ?? '', {
        'server.requests_per_minute': 100_000,
        'cache.enabled': false,
        'providers.tavily.base_url': `http://127.0.0.1:${port}`,
        'providers.tavily.pace_ms': PACE_MS,
      });
      const key = await newKey(members[0]);
      let asked = 0;
      const caller = async (): Promise<void> => {
        while (asked < PACED_CALLS) {
          const query = `paced ${asked}`;
          const member = members[asked++ % members.length];
          const response = await member?.request('/search', {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ query }),
          });
          await response?.text();
        }
      };
      await Promise.all(Array.from({ length: 12 }, caller));
      upstream.close();
      const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
      expect(arrivals.length).toBeGreaterThanOrEqual(PACED_CALLS);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(PACE_MS - 5);
    },
  );
});
