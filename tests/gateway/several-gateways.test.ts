import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client.ts';
import { parseRecord, type ReadRecord } from '../../src/snapshot/warc.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { tavilySim } from '../../src/sim/tavily.ts';
import { ADMIN, createTestGateway } from '../support/gateway/gateway.ts';
import {
  createCrawlMember,
  createCrawlWeb,
  type CrawlMember,
  type CrawlWeb,
} from '../support/gateway/crawl-web.ts';
import { startGateway } from '../support/gateway/processes.ts';
import { runHeadgate } from '../support/cli.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sayNotRun } from '../support/not-run.ts';
import { sized, testSize } from '../support/sized.ts';
import { until } from '../support/until.ts';

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
/** Half a second is enough for a cooldown to be known everywhere; a busy machine gets more. */
const COOLDOWN_MS = isSmall ? 6_000 : 10_000;
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
let started: Member[] = [];
// The gateways of one test must not take processor time from the next.
afterEach(async () => {
  const over = started;
  started = [];
  await Promise.all(over.map((member) => member.kill()));
});
afterAll(async () => {
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
      const shared = await startGateways((await postgres?.migratedUrl()) ?? '');
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
      const url = (await postgres?.migratedUrl()) ?? '';
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
      const url = (await postgres?.migratedUrl()) ?? '';
      const members = await startGateways(url, {
        'search.retries': 0,
        // A call that may last longer waits for the end of the cooldown.
        'search.timeout_ms': COOLDOWN_MS / 2,
      });
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
        const headers = { 'retry-after': String(COOLDOWN_MS / 1_000) };
        sim.script('/tavily/search', [{ kind: 'status', status, headers }]);
        expect((await search(members[round], `refused ${round}`))?.status).toBe(status);
        await new Promise((resolve) => setTimeout(resolve, COOLDOWN_MS / 4));
        const asked = sim.requests.length;
        const answers = await Promise.all(
          members.map(async (member, index) => search(member, `${round} ${index}`)),
        );
        expect(answers.map((answer) => answer?.status)).toEqual(members.map(() => status));
        expect(sim.requests.length).toBe(asked);
        if (status === 432) await new Promise((resolve) => setTimeout(resolve, COOLDOWN_MS));
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
      const members = await startGateways((await postgres?.migratedUrl()) ?? '', {
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
      // A machine that is short of processor time sends late, which brings the next request closer. Beside other tests that may happen
      // now and then; alone, in the full size, never.
      const early = gaps.filter((gap) => gap < PACE_MS - 5);
      expect(early.length).toBeLessThanOrEqual(testSize() === 'full' ? 0 : 2);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(PACE_MS / 2);
      expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThanOrEqual(
        PACE_MS * (gaps.length - 0.5),
      );
    },
  );
});

function recordsOf(bytes: Buffer): ReadRecord[] {
  const records: ReadRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const record = parseRecord(bytes.subarray(at));
    if (record === undefined) throw new Error(`No record begins at ${at}.`);
    records.push(record);
    at += record.length;
  }
  return records;
}

const HOSTS = sized('hosts of a crawl on several gateways', { small: 14, large: 20, full: 50 });
const PAGES_EACH = sized('pages of each of these hosts', { small: 6, large: 20, full: 200 });
/** Nobody loses a lease to a busy machine: a page that is read again would look like a mistake. */
const LEASE_MS = isSmall ? 3_000 : 10_000;

describe.skipIf(postgres === undefined)('a crawl on several gateways', () => {
  let web: CrawlWeb;
  let headers: Record<string, string>;
  let workspace: string;
  const members: CrawlMember[] = [];
  const look = async (member: CrawlMember, path: string) =>
    member.app.request(`http://127.0.0.1${path}`, { headers });
  beforeAll(async () => {
    web = createCrawlWeb({ hosts: HOSTS, pagesEach: PAGES_EACH, takesMs: 60 });
    const storeUrl = (await postgres?.migratedUrl()) ?? '';
    for (const name of ['first', 'second']) {
      const after = { home: mkdtempSync(join(home, 'gateway-')), sim };
      members.push(await createCrawlMember(name, { storeUrl, web, after, leaseMs: LEASE_MS }));
    }
    const made = await members[0]?.newKey();
    workspace = made?.workspace ?? '';
    headers = { authorization: `Bearer ${made?.key}` };
  });
  afterAll(async () => {
    for (const member of members) {
      await member.rest();
      await member.stop();
    }
  });

  test(
    'every page is read once, by both, at the pace of its host, also those of a gateway that died',
    { timeout: 600_000 },
    async () => {
      const [first, second] = members as [CrawlMember, CrawlMember];
      const asked = { url: web.start, allow_external: true, limit: 100_000, max_breadth: 500, library: true };
      const response = await first.post('/crawls', asked, headers);
      expect(response.status).toBe(200);
      const { crawl_id: id } = (await response.json()) as { crawl_id: string };
      const stateOf = async () =>
        (await look(second, `/crawls/${id}`)).json() as Promise<Record<string, unknown>>;
      await until(async () => Number((await stateOf())['pages']) > 0);
      // A gateway that dies leaves its claim behind, and nothing else.
      await until(async () => ((await first.store.frontier?.claim('dead', LEASE_MS, 1)) ?? []).length > 0);
      await until(
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          return (await stateOf())['state'] !== 'running';
        },
        testSize() === 'full' ? 500_000 : 60_000,
      );
      expect(await stateOf()).toMatchObject({
        state: 'done',
        pages: web.pages.length,
        skipped: HOSTS,
        waiting: 0,
      });
      const lines = (await (await look(second, `/crawls/${id}/results`)).text()).trim().split('\n');
      const results = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const read = results.filter(({ outcome }) => outcome === 'ok');
      expect(read.map(({ url }) => String(url)).toSorted()).toEqual(web.pages.toSorted());
      expect(results.map(({ position }) => position)).toEqual(results.map((_, index) => index + 1));
      const paths = web.arrivals.map(({ url }) => url.origin + url.pathname);
      expect(paths.filter((path, at) => paths.indexOf(path) < at)).toEqual([web.flaky]);
      expect(new Set(web.arrivals.map(({ gateway }) => gateway))).toEqual(new Set(['first', 'second']));
      // What the workspace reads meanwhile does not queue behind its crawl.
      expect(new Set(web.arrivals.map(({ queue }) => queue))).not.toContain(workspace);
      for (const { gapMs, delayMs } of web.gaps()) expect(gapMs).toBeGreaterThanOrEqual(delayMs);
      const rest = await (await look(first, `/crawls/${id}/results?after=${results.length - 1}`)).text();
      expect(rest).toBe(`${lines.at(-1)}\n`);
      const warc = await look(first, `/crawls/${id}/results?format=warc`);
      expect(warc.headers.get('content-type')).toBe('application/warc');
      const records = recordsOf(Buffer.from(await warc.arrayBuffer()));
      expect(records[0]?.fields).toMatchObject({ 'warc-type': 'warcinfo' });
      expect(
        records
          .slice(1)
          .map(({ fields, block }) => ({ url: fields['warc-target-uri'], text: block.toString() })),
      ).toEqual(
        results.map(({ url, raw_content: text, reason }) => ({
          url,
          text: text ?? `skipped: ${reason}\r\n`,
        })),
      );
      await until(async () => (await stateOf())['in_library'] === results.length, 60_000);
      const library = second.parts.services.library.of(workspace);
      expect((await library.stats()).documents).toBe(web.pages.length);
      expect((await library.list({ limit: 1 }))[0]).toMatchObject({ kind: 'page' });
    },
  );

  test(
    'a crawl in the background and one that is waited for keep the pace of a host together',
    { timeout: 60_000 },
    async () => {
      const [first, second] = members as [CrawlMember, CrawlMember];
      // A crawl that is waited for reads no more than the first page and the 20 links that max_breadth allows.
      const limit = Math.min(PAGES_EACH, 20);
      const before = web.arrivals.length;
      const begun = await first.post('/crawls', { url: web.start, limit }, headers);
      const { crawl_id: id } = (await begun.json()) as { crawl_id: string };
      const waited = await second.post('/crawl', { url: web.start, limit }, headers);
      expect(((await waited.json()) as { results: unknown[] }).results).toHaveLength(limit);
      await until(
        async () =>
          ((await (await look(second, `/crawls/${id}`)).json()) as { state: string }).state === 'done',
      );
      const pages = web.arrivals.slice(before).filter(({ url }) => url.pathname !== '/robots.txt');
      expect(pages).toHaveLength(2 * limit);
      // A machine that is short of processor time sends after its turn; half of the delay of 100 ms is far more than none.
      const gaps = pages.slice(1).map(({ at }, index) => at - (pages[index]?.at ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
    },
  );

  test(
    'a crawl keeps to its limit, belongs to its workspace, and ends with its key or when it is cancelled',
    { timeout: 60_000 },
    async () => {
      const [first, second] = members as [CrawlMember, CrawlMember];
      const start = async (body: object, given = headers) => {
        const response = await first.post(
          '/crawls',
          { url: web.start, allow_external: true, ...body },
          given,
        );
        return (await response.json()) as { crawl_id: string };
      };
      const stateOf = async (id: string, given = headers) => {
        const response = await second.app.request(`http://127.0.0.1/crawls/${id}`, { headers: given });
        return (await response.json()) as Record<string, unknown>;
      };
      const stranger = await first.newKey();
      const theirs = { authorization: `Bearer ${stranger.key}` };
      const [short, cancelled, revoked] = [
        await start({ limit: 3, select_paths: ['^/$'] }),
        await start({}),
        await start({}, theirs),
      ];
      expect(await stateOf(short.crawl_id, theirs)).toMatchObject({ detail: { code: 'not_found' } });
      await first.world.store.keys.revoke(stranger.id);
      const path = `http://127.0.0.1/crawls/${cancelled.crawl_id}`;
      expect(await (await second.app.request(path, { method: 'DELETE', headers })).json()).toMatchObject({
        state: 'cancelled',
      });
      await until(async () => (await stateOf(short.crawl_id))['state'] === 'done');
      expect(await stateOf(short.crawl_id)).toMatchObject({ pages: 3, limit: 3 });
      const { frontier } = first.store;
      await until(
        async () => (await frontier?.find(stranger.workspace, revoked.crawl_id))?.state === 'failed',
      );
      const [event] = await first.store.database.read(
        'SELECT data FROM events WHERE subject = ?',
        short.crawl_id,
      );
      expect(JSON.parse(String(event?.['data']))).toEqual({ pages: 3, skipped: 0, outcome: 'ok' });
      const { crawls } = (await (await look(second, '/crawls')).json()) as { crawls: { crawl_id: string }[] };
      expect(crawls.map((crawl) => crawl.crawl_id)).toContain(cancelled.crawl_id);
      expect(crawls.map((crawl) => crawl.crawl_id)).not.toContain(revoked.crawl_id);
      await first.store.database.write([
        { sql: 'UPDATE crawls SET ended = 1 WHERE id = ?', values: [short.crawl_id] },
      ]);
      await frontier?.prune();
      expect(await stateOf(short.crawl_id)).toMatchObject({ detail: { code: 'not_found' } });
      expect(await stateOf(cancelled.crawl_id)).toMatchObject({ state: 'cancelled' });
    },
  );

  test('the client and the command line start, follow and stop crawls at a gateway', async () => {
    const [, second] = members as [CrawlMember, CrawlMember];
    const http = await second.listen();
    const apiKey = String(headers['authorization']).slice('Bearer '.length);
    const client = createClient({ baseUrl: http.url, apiKey });
    const crawl = async (...more: string[]) =>
      runHeadgate(['crawl', ...more], { home, env: { HEADGATE_API_KEY: apiKey } });
    const there = ['--gateway', http.url];
    try {
      const begun = await crawl(
        web.start,
        ...there,
        '--limit',
        '2',
        '--allow-external',
        '--select-paths',
        '^/$',
      );
      const id = /^crawl_\w+(?= {2}running)/.exec(begun.out)?.[0] ?? '';
      await until(async () => (await client.crawlState(id)).state === 'done');
      const lines = (await crawl(...there, '--results', id)).out.trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { position: number }).position)).toEqual([1, 2]);
      const rest: unknown[] = [];
      for await (const line of client.crawlResults(id, 1)) rest.push(line);
      expect(rest).toMatchObject([{ position: 2, outcome: 'ok', trust: 'untrusted_web' }]);
      const other = await client.startCrawl({ url: web.start });
      expect((await crawl(...there, '--cancel', other.crawl_id)).out).toContain('cancelled');
      expect((await client.cancelCrawl(other.crawl_id)).state).toBe('cancelled');
      expect((await crawl(...there, '--list')).out).toMatch(
        new RegExp(`^${other.crawl_id}[^]*^${id}  done`, 'm'),
      );
      expect((await crawl('--list')).err).toContain('--list is for crawls in the background.');
      expect((await crawl(web.start, ...there, '--instructions', 'mills')).err).toContain(
        '--instructions is not for crawls in the background.',
      );
      await expect(client.crawlState('crawl_nothing')).rejects.toThrow('There is no such crawl');
    } finally {
      await http.close();
    }
  });
});
