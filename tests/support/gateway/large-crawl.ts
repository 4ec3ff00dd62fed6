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
  samples: { percent: number; seconds: number; rss_mib: number }[];
}

const HOSTS = 200;
const SAMPLES_AT = [10, 25, 50, 75, 100];

/**
 * Gateway processes crawl pages that a process of its own makes up, as fast as they can. When a third is read one of them is killed, and another one
 * started in its place.
 */
export async function crawlManyPages(
  pages: number,
  { storeUrl, gateways, say }: { storeUrl: string; gateways: number; say(line: string): void },
): Promise<LargeCrawl> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-large-crawl-'));
  const upstream = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'crawl-upstream.ts'), String(pages), String(HOSTS)],
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
  const database = new Client(storeUrl);
  try {
    for (let index = 0; index < gateways; index += 1) members.push(await start());
    await database.connect();
    const response = await fetch(`${members[0]?.url}/crawls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        url: `http://127.0.0.1:${port}/page/0`,
        allow_external: true,
        limit: pages,
        max_depth: 20,
      }),
    });
    const { crawl_id: id } = (await response.json()) as { crawl_id: string };
    const began = performance.now();
    const samples: LargeCrawl['samples'] = [];
    for (let isKilled = false; ;) {
      await wait(500);
      const state = (await (await fetch(`${members[0]?.url}/crawls/${id}`)).json()) as {
        state: string;
        pages: number;
        skipped: number;
      };
      const seconds = (performance.now() - began) / 1_000;
      const percent = (100 * (state.pages + state.skipped)) / pages;
      if (percent >= (SAMPLES_AT[samples.length] ?? Infinity)) {
        const rss = Math.max(...members.slice(0, -1).map(({ process: child }) => rssMib(child)));
        samples.push({ percent: Math.round(percent), seconds: Math.round(seconds), rss_mib: rss });
        say(JSON.stringify({ ...samples.at(-1), pages_per_second: Math.round(state.pages / seconds) }));
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
        pages_per_second: Math.round(state.pages / seconds),
        samples,
      };
    }
  } finally {
    await database.end();
    for (const { process: child } of members) child.kill();
    upstream.kill();
    for (const { process: child } of members) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(home, { recursive: true, force: true });
  }
}

const rssMib = ({ pid }: ChildProcess): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
