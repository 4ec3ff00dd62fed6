// Crawls in the background: 1 and 4 gateway processes on one PostgreSQL, on 50 hosts that take 200 ms for a page; then 4 of which one is killed. With
// `--large PAGES` instead, 4 gateways on pages that a process of its own makes up, as fast as they can, for their memory and their rate. With `--store URL` as
// well, in a database of yours, where a run that was interrupted is continued. Prints JSON.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { crawlManyPages } from '../../tests/support/gateway/large-crawl.ts';
import { startGateway, type GatewayProcess } from '../../tests/support/gateway/processes.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import { cpuMsOf } from '../gateway/children.ts';

const valueOf = (flag: string): string | undefined =>
  process.argv.includes(flag) ? process.argv[process.argv.indexOf(flag) + 1] : undefined;
const numberOf = (flag: string, usual: number): number => Number(valueOf(flag) ?? usual);
const [HOSTS, TAKES_MS, DELAY_MS] = [50, 200, 100];
const PAGES_EACH = numberOf('--pages', 1_000) / HOSTS;
const LARGE = numberOf('--large', 0);

const STORE = valueOf('--store');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const server = STORE === undefined ? await startPostgres() : undefined;
if (STORE === undefined && server === undefined) throw new Error('This benchmark needs PostgreSQL.');
const home = mkdtempSync(join(tmpdir(), 'headgate-crawl-'));

interface Site {
  listening: Server;
  /** When each request arrived, and for which path. */
  arrivals: { at: number; path: string }[];
}

async function startSites(): Promise<Site[]> {
  const origins: string[] = [];
  const bodyOf = (path: string, own: string): string => {
    const pages = Array.from({ length: PAGES_EACH - 1 }, (_, index) => `${own}/page-${index + 1}`);
    const links = path === '/' ? [...pages, ...origins.map((origin) => `${origin}/`)] : [`${own}/`];
    return `<html><head><title>${path}</title></head><body><main><h1>The mill ${path}</h1><p>The mill on the river has ground wheat since 1742, and this
      paragraph is long enough to be read as content.</p><ul>${links.map((link) => `<li><a href="${link}">A mill</a></li>`).join('')}</ul></main></body></html>`;
  };
  const start = async (): Promise<Site> => {
    const arrivals: Site['arrivals'] = [];
    const listening = createServer((request, response) => {
      const path = request.url ?? '/';
      arrivals.push({ at: performance.now(), path });
      const isRobots = path === '/robots.txt';
      const body = isRobots ? '' : bodyOf(path, `http://${request.headers.host}`);
      setTimeout(() => {
        response.writeHead(isRobots ? 404 : 200, { 'content-type': 'text/html' }).end(body);
      }, TAKES_MS);
    }).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    origins.push(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
    return { listening, arrivals };
  };
  const sites: Site[] = [];
  for (let index = 0; index < HOSTS; index += 1) sites.push(await start());
  return sites;
}

/** A crawl of everything by so many gateways; one of them is killed on the way, if asked for. */
async function crawl(gateways: number, isOneKilled = false): Promise<object> {
  const sites = await startSites();
  const ports = sites.map(({ listening }) => (listening.address() as AddressInfo).port);
  const storeUrl = (await server?.freshUrl()) ?? '';
  const database = new Client(storeUrl);
  await database.connect();
  await database.query(`ALTER DATABASE "${database.database}" SET track_functions = 'pl'`);
  const members: GatewayProcess[] = [];
  for (let index = 0; index < gateways; index += 1)
    members.push(
      await startGateway({
        HEADGATE_HOME: mkdtempSync(join(home, 'gateway-')),
        HEADGATE_STORE__URL: storeUrl,
        HEADGATE_SERVER__REQUESTS_PER_MINUTE: '100000',
        HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
        HEADGATE_GUARD__ALLOW: '127.0.0.1',
        HEADGATE_GUARD__PORTS: ports.join(','),
      }),
    );
  const ask = async (path: string, init?: RequestInit): Promise<Record<string, unknown>> =>
    (await (await fetch((members[0]?.url ?? '') + path, init)).json()) as Record<string, unknown>;
  const cpuMs = (): number => members.reduce((sum, { process: child }) => sum + cpuMsOf(child), 0);
  const cpuBefore = cpuMs();
  const started = performance.now();
  const body = JSON.stringify({
    url: `http://127.0.0.1:${ports[0]}/`,
    allow_external: true,
    limit: 1_000_000,
    max_breadth: 500,
  });
  const headers = { 'content-type': 'application/json' };
  const { crawl_id: id } = await ask('/crawls', { method: 'POST', headers, body });
  const owners = async (): Promise<number> =>
    (await database.query('SELECT DISTINCT owner FROM crawl_hosts WHERE owner IS NOT NULL')).rows.length;
  let state = await ask(`/crawls/${id}`);
  let killedAt: number | undefined;
  let takeoverMs = 0;
  let half: { pages: number; cpu: number } | undefined;
  while (state['state'] === 'running') {
    await wait(250);
    state = await ask(`/crawls/${id}`);
    const pages = Number(state['pages']);
    if (pages >= (HOSTS * PAGES_EACH) / 2) half ??= { pages, cpu: cpuMs() };
    // The leases of the one that was killed stay until the others have taken them over.
    if (killedAt !== undefined && (await owners()) === gateways) takeoverMs = performance.now() - killedAt;
    if (!isOneKilled || killedAt !== undefined || pages < (HOSTS * PAGES_EACH) / 4) continue;
    killedAt = performance.now();
    members.pop()?.process.kill('SIGKILL');
  }
  const seconds = (performance.now() - started) / 1_000;
  const cpuAfter = cpuMs();
  const cpuPerPage = (cpuAfter - cpuBefore) / Number(state['pages']);
  // A process that has just started compiles its code, which more gateways do more often.
  const cpuLater = half === undefined ? NaN : (cpuAfter - half.cpu) / (Number(state['pages']) - half.pages);
  const statements = await statementsOf(database);
  await database.end();
  const lines = (await (await fetch(`${members[0]?.url}/crawls/${id}/results`)).text()).trim().split('\n');
  const results = lines.map((line) => JSON.parse(line) as { url: string; outcome: string; reason?: string });
  const urls = results.map(({ url }) => url);
  const skipped = results.filter(({ outcome }) => outcome === 'skipped');
  for (const { process: child } of members) child.kill();
  for (const { listening } of sites) listening.close();
  const gapsOf = (times: number[]): number[] => times.slice(1).map((at, index) => at - (times[index] ?? 0));
  const gaps = sites.flatMap(({ arrivals }) => gapsOf(arrivals.map(({ at }) => at)));
  const requests = sites.flatMap(({ arrivals }) => arrivals.filter(({ path }) => path !== '/robots.txt'));
  return {
    gateways,
    pages: state['pages'],
    skipped: skipped.length,
    ...(skipped.length === 0 ? {} : { skipped_for: [...new Set(skipped.map(({ reason }) => reason))] }),
    twice_in_results: urls.length - new Set(urls).size,
    lost: HOSTS * PAGES_EACH - new Set(urls).size,
    requested_again: requests.length - HOSTS * PAGES_EACH,
    seconds: Math.round(seconds * 10) / 10,
    pages_per_second: Math.round((Number(state['pages']) / seconds) * 10) / 10,
    cpu_ms_per_page: Math.round(cpuPerPage * 100) / 100,
    cpu_ms_per_page_second_half: Math.round(cpuLater * 100) / 100,
    statements_per_page: Object.fromEntries(
      Object.entries(statements).map(([name, count]) => [
        name,
        Math.round((count / Number(state['pages'])) * 100) / 100,
      ]),
    ),
    shortest_gap_ms: Math.round(gaps.reduce((least, gap) => Math.min(least, gap), Infinity) * 10) / 10,
    delay_ms: DELAY_MS,
    ...(killedAt === undefined ? {} : { taken_over_after_s: Math.round(takeoverMs / 100) / 10 }),
    load: Math.round(loadavg()[0] ?? 0),
  };
}

/** What all gateways asked of the database: claims and batches of the crawl, shared limits and pace, and everything. */
async function statementsOf(database: Client): Promise<Record<string, number>> {
  // Servers report what they counted when they have been idle for a second.
  await wait(1_500);
  const { rows } = await database.query<{ name: string; count: string }>(
    `SELECT replace(funcname, 'headgate_', '') AS name, calls AS count FROM pg_stat_user_functions
     WHERE funcname IN ('headgate_crawl_claim', 'headgate_crawl_finish', 'headgate_share')
     UNION ALL SELECT 'all', xact_commit FROM pg_stat_database WHERE datname = current_database()`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}

const figures =
  LARGE > 0
    ? {
        large: await crawlManyPages(LARGE, {
          storeUrl: STORE ?? (await server?.freshUrl()) ?? '',
          gateways: 4,
          say: (line) => console.error(line),
        }),
      }
    : { runs: [await crawl(1), await crawl(4), await crawl(4, true)] };
console.log(JSON.stringify(figures, null, 2));
await server?.stop();
rmSync(home, { recursive: true, force: true });
process.exit(0);
