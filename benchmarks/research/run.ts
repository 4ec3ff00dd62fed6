import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import { startSim } from '../../src/sim/server.ts';
import { report } from '../report.ts';
import { createPagesUpstream } from './upstream.ts';

// Run: npm run benchmark -- research. What is measured stands in the README beside this file.
const SUB_QUERIES = 20;
const SOURCES = 5;
const CONCURRENT = 10;
const SEARCH_MS = 400;
const EXTRACT_MS = 600;
const ROUNDS = 5;
const SENTENCES = 60;
const MIB = 1024 * 1024;

interface Setting {
  sources: number;
  sentences: number;
  delays: { searchMs: number; extractMs: number };
  input: Record<string, unknown>;
  config?: Record<string, unknown>;
  /** Collecting garbage takes time, which must not be counted. */
  countsHeap?: boolean;
}

interface Measured {
  wallMs: number;
  sources: number;
  findings: number;
  rssPeakMb: number;
  /** What is reachable when everything is found, above what was before. */
  heapMb: number;
  /** What this process computed, the simulator included. */
  cpuMs: number;
}

const homes = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
process.once('exit', () => rmSync(homes, { recursive: true, force: true }));

async function measure(setting: Setting): Promise<Measured> {
  const { sources, sentences, delays, input, config = {}, countsHeap = false } = setting;
  const sim = await startSim({ upstreams: [createPagesUpstream({ sources, sentences })] });
  const home = mkdtempSync(join(homes, 'home-'));
  sim.script('/bench/search', [{ kind: 'delay', ms: delays.searchMs, times: 'always' }]);
  sim.script('/bench/extract', [{ kind: 'delay', ms: delays.extractMs, times: 'always' }]);
  const flags = {
    'providers.tavily.base_url': `${sim.url}/bench`,
    'providers.tavily.api_key': 'tvly-bench',
    'search.provider': 'tavily',
    'extract.provider': 'tavily',
    'research.tavily_extract_max_urls': 20,
    ...config,
  };
  const engine = createEngine(loadConfig({ flags }).config, { home, log: silentLogger });
  const memory = watchMemory(countsHeap);
  const call = {
    ...createCall(engine.services, { timeoutMs: 120_000 }),
    progress: ({ message }: { message?: string }) => void (message === 'Writing the report' && memory.mark()),
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const { session } = await perform(
    research,
    {
      query: 'How much power do tidal power stations of the harbour produce?',
      max_sub_queries: SUB_QUERIES,
      max_sources_per_query: sources,
      max_concurrent: CONCURRENT,
      max_iterations: 1,
      ...input,
    },
    { call, services: engine.services },
  );
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1_000;
  const peaks = memory.end();
  await engine.close();
  await sim.close();
  return { wallMs, cpuMs, sources: session.source_count, findings: session.finding_count, ...peaks };
}

function watchMemory(countsHeap: boolean) {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let rss = 0;
  let heap = 0;
  const timer = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 20);
  return {
    mark: () => {
      if (!countsHeap) return;
      globalThis.gc?.();
      heap = process.memoryUsage().heapUsed - before;
    },
    end: () => {
      clearInterval(timer);
      return { rssPeakMb: Math.round(rss / MIB), heapMb: Math.round(heap / MIB) };
    },
  };
}

const wall: Setting = {
  sources: SOURCES,
  sentences: SENTENCES,
  delays: { searchMs: SEARCH_MS, extractMs: EXTRACT_MS },
  input: {},
};
await measure(wall);
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(wall));
const walls = rounds.map(({ wallMs }) => wallMs).sort((a, b) => a - b);
// The first search alone, then the others in waves, then all pages in one wave of batches.
const criticalMs = SEARCH_MS + Math.ceil((SUB_QUERIES - 1) / CONCURRENT) * SEARCH_MS + EXTRACT_MS;
const median = walls[Math.floor(walls.length / 2)] ?? 0;

// Pages of some 400 kB with every search, eight times what is kept of each.
const PAGE_KB = 410;
const large = await measure({
  sources: 10,
  sentences: 4_500,
  delays: { searchMs: 1, extractMs: 1 },
  input: { include_raw_content: 'markdown', follow_links: false, max_concurrent: 3 },
  config: { 'cache.enabled': false },
  countsHeap: true,
});
report('research', {
  n: ROUNDS,
  subQueries: SUB_QUERIES,
  sources: rounds[0]?.sources,
  findings: rounds[0]?.findings,
  criticalMs,
  medianMs: Math.round(median),
  p95Ms: Math.round(walls.at(-1) ?? 0),
  ratio: median / criticalMs,
  cpuMs: Math.round(rounds.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0),
  rssMb: Math.max(...rounds.map(({ rssPeakMb }) => rssPeakMb)),
  largeSources: large.sources,
  largeReadMb: Math.round((large.sources * PAGE_KB) / 1024),
  largeKeptMbMax: Math.round((LIMITS.researchSourcesMax * LIMITS.researchSourceCharsMax * 2) / MIB),
  largeHeapMb: large.heapMb,
  largeRssPeakMb: large.rssPeakMb,
});
