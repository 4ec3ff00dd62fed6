import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { startGateway, type GatewayProcess } from './processes.ts';

/** What a crawl of many simulated pages came to. */
export interface LargeCrawl {
  pages: number;
  skipped: number;
  /** Different addresses in the results. */
  distinct: number;
  seconds: number;
  pages_per_second: number;
  /** The memory of the largest gateway that lived through all of it. */
  samples: { percent: number; seconds: number; rss_mib: number; pages_per_second: number }[];
}

const HOSTS = 200;
const SAMPLE_PERCENT = 10;

/**
 * Gateway processes crawl pages that a process of its own makes up, as fast as they can. When a third is read one of them is killed, and another one
 * started in its place. A crawl that is under way in this database is continued.
 */
export async function crawlManyPages(
  pages: number,
  { storeUrl, gateways, say }: { storeUrl: string; gateways: number; say(line: string): void },
): Promise<LargeCrawl> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-large-crawl-'));
  const database = new Client(storeUrl);
  await database.connect();
  const found = await runningCrawl(database);
  const upstream = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      join(import.meta.dirname, 'crawl-upstream.ts'),
      ...[pages, HOSTS, found?.port ?? 0].map(String),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [chunk] = (await once(upstream.stdout, 'data')) as [Buffer];
  const port = Number(chunk.toString());
  const start = async (): Promise<GatewayProcess> =>
    startGateway({
      HEADGATE_HOME: mkdtempSync(join(home, 'gateway-')),
      HEADGATE_STORE__URL: storeUrl,
      HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
      HEADGATE_GUARD__ALLOW: '127.0.0.0/8',
      HEADGATE_GUARD__PORTS: String(port),
    });
  const members: GatewayProcess[] = [];
  const end = (): void =>
    [upstream, ...members.map((member) => member.process)].forEach((child) => void child.kill());
  // Also when this process is interrupted.
  process.once('exit', end);
  try {
    for (let index = 0; index < gateways; index += 1) members.push(await start());
    const gateway = members[0]?.url ?? '';
    const id = found?.id ?? (await startCrawl(gateway, port, pages));
    const stateOf = async (): Promise<CrawlState> =>
      (await (await fetch(`${gateway}/crawls/${id}`)).json()) as CrawlState;
    const before = (await stateOf()).pages;
    if (before > 0) say(`Continues after ${before} pages.`);
    const began = performance.now();
    const samples: LargeCrawl['samples'] = [];
    let last = { pages: before, seconds: 0, percent: Math.floor((100 * before) / pages) };
    for (let isKilled = false; ;) {
      await wait(500);
      const state = await stateOf();
      const seconds = (performance.now() - began) / 1_000;
      const percent = (100 * (state.pages + state.skipped)) / pages;
      if (percent >= SAMPLE_PERCENT * (1 + Math.floor(last.percent / SAMPLE_PERCENT))) {
        const rss = Math.max(...members.slice(0, -1).map(({ process: child }) => rssMib(child)));
        const rate = Math.round((state.pages - last.pages) / (seconds - last.seconds));
        last = { pages: state.pages, seconds, percent: Math.floor(percent) };
        samples.push({
          percent: last.percent,
          seconds: Math.round(seconds),
          rss_mib: rss,
          pages_per_second: rate,
        });
        say(JSON.stringify(samples.at(-1)));
      }
      if (!isKilled && percent > 33) {
        isKilled = true;
        members.pop()?.process.kill('SIGKILL');
        members.push(await start());
      }
      if (state.state === 'running') continue;
      const { rows } = await database.query<{ count: string }>(
        "SELECT count(DISTINCT line::jsonb->>'url') FROM crawl_results WHERE crawl = $1",
        [id],
      );
      return {
        pages: state.pages,
        skipped: state.skipped,
        distinct: Number(rows[0]?.count),
        seconds: Math.round(seconds),
        pages_per_second: Math.round((state.pages - before) / seconds),
        samples,
      };
    }
  } finally {
    await database.end();
    end();
    process.off('exit', end);
    for (const { process: child } of members) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(home, { recursive: true, force: true });
  }
}

interface CrawlState {
  state: string;
  pages: number;
  skipped: number;
}

async function startCrawl(gateway: string, port: number, pages: number): Promise<string> {
  const response = await fetch(`${gateway}/crawls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      url: `http://127.0.0.1:${port}/page/0`,
      allow_external: true,
      limit: pages,
      max_depth: 20,
    }),
  });
  return ((await response.json()) as { crawl_id: string }).crawl_id;
}

/** The crawl that an earlier run left, and the port that its pages are at. */
async function runningCrawl(database: Client): Promise<{ id: string; port: number } | undefined> {
  const { rows: tables } = await database.query("SELECT FROM pg_tables WHERE tablename = 'crawls'");
  if (tables.length === 0) return undefined;
  const { rows } = await database.query<{ id: string; input: string }>(
    "SELECT id, input FROM crawls WHERE state = 'running'",
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { id: row.id, port: Number(new URL((JSON.parse(row.input) as { url: string }).url).port) };
}

const rssMib = ({ pid }: ChildProcess): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
