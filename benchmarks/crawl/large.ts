import { setTimeout as wait } from 'node:timers/promises';
import { plainExtracted } from '../../src/extract/extracted.ts';
import type { GuardedFetch } from '../../src/net/fetch.ts';
import { crawlJob, jobOf } from '../../src/operations/crawl/crawl-job.ts';
import { workCrawlsUntil } from '../../src/operations/crawl/work-crawls.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import type { Services } from '../../src/operations/services.ts';
import { createTestGateway } from '../../tests/support/gateway/gateway.ts';

const HOSTS = 4_000;
const CHILDREN = 10;
const SAMPLES = 20;
const MIB = 1024 * 1024;

/** One worker on a tree of pages that cost neither a network nor an extraction: what remains is the frontier. */
export async function crawlLarge(pages: number, storeUrl: string): Promise<object> {
  const urlOf = (page: number): string => `https://host-${page % HOSTS}.example/page/${page}`;
  const text = 'The mill on the river has ground wheat since 1742. '.repeat(20);
  const bytes = new TextEncoder().encode('x');
  const web: GuardedFetch = async (url) => {
    const headers = { 'content-type': 'text/html' };
    return { url, finalUrl: url, status: 200, headers, contentType: 'text/html', bytes, redirects: [] };
  };
  const extract: Services['extract'] = async ({ url = '' }) => {
    const first = Number(url.split('/').at(-1)) * CHILDREN + 1;
    const children = Array.from({ length: CHILDREN }, (_, index) => first + index).filter(
      (one) => one < pages,
    );
    return {
      ...plainExtracted('html', url, text, text),
      links: children.map((child) => ({ url: urlOf(child), text: 'A page' })),
    };
  };
  const gateway = await createTestGateway({ config: { 'store.url': storeUrl }, web });
  const services = { ...gateway.parts.services, extract };
  const call = createCall(services, { timeoutMs: 1_000_000_000 });
  const input = { url: urlOf(0), allow_external: true, limit: pages, max_depth: 20 };
  const { crawl_id: id } = await perform(crawlJob, input, { call, services });
  const stop = new AbortController();
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const working = workCrawlsUntil(stop.signal, services, { hostsMax: 200, readsMax: 64 });
  const samples: object[] = [];
  let state = await jobOf(id, call, services);
  while (state.state === 'running') {
    await wait(1_000);
    state = await jobOf(id, call, services);
    if (state.pages < (pages * samples.length) / SAMPLES) continue;
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const seconds = Math.round((performance.now() - started) / 1_000);
    samples.push({
      pages: state.pages,
      seconds,
      rss_mib: Math.round(rss / MIB),
      heap_mib: Math.round(heapUsed / MIB),
    });
    console.error(JSON.stringify(samples.at(-1)));
  }
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  stop.abort();
  await working;
  call.end();
  await gateway.close();
  return {
    pages: state.pages,
    skipped: state.skipped,
    hosts: HOSTS,
    seconds: Math.round(seconds),
    pages_per_second: Math.round(state.pages / seconds),
    cpu_ms_per_page: Math.round((user + system) / state.pages) / 1_000,
    samples,
  };
}
