import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/headgate.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research } from '../../src/operations/research/research.ts';
import { startSim } from '../../src/sim/server.ts';
import type { SimUpstream } from '../../src/sim/upstream.ts';

// 20 sub-queries × 5 sources, no model: wall time against the critical path of the upstream's delays. Run: npx tsx benchmarks/research/run.ts
const SUB_QUERIES = 20;
const SOURCES = 5;
const CONCURRENT = 10;
const SEARCH_MS = 400;
const EXTRACT_MS = 600;
const ROUNDS = 5;
const CONTENT_SENTENCES = 60;

/** An upstream whose every search finds five new pages of some length. */
const upstream: SimUpstream = {
  id: 'bench',
  handle: (request) => {
    const body = JSON.parse(request.body) as { query?: string; urls?: string[] };
    const headers = { 'content-type': 'application/json' };
    if (request.url.pathname === '/extract') {
      const results = (body.urls ?? []).map((url) => ({ url, raw_content: contentOf(url) }));
      return {
        status: 200,
        headers,
        body: JSON.stringify({ results, failed_results: [], response_time: 0.1 }),
      };
    }
    const query = body.query ?? '';
    const results = Array.from({ length: SOURCES }, (_, index) => {
      const url = `https://site-${index}.example/${encodeURIComponent(query)}`;
      return {
        url,
        title: `${query}, part ${index}`,
        content: contentOf(url).slice(0, 300),
        score: 1 - index / 10,
      };
    });
    return { status: 200, headers, body: JSON.stringify({ query, results, images: [], response_time: 0.1 }) };
  },
};

const contentOf = (url: string): string =>
  Array.from({ length: CONTENT_SENTENCES }, (_, index) => {
    const number = [...`${url}${index}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
    return `Tidal power station ${number} of the harbour produced ${number} megawatt hours in its year of service.`;
  }).join(' ');

async function measure(): Promise<{ wallMs: number; sources: number; findings: number }> {
  const sim = await startSim({ upstreams: [upstream] });
  const home = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
  sim.script('/bench/search', [{ kind: 'delay', ms: SEARCH_MS, times: 'always' }]);
  sim.script('/bench/extract', [{ kind: 'delay', ms: EXTRACT_MS, times: 'always' }]);
  const { config } = loadConfig({
    flags: {
      'providers.tavily.base_url': `${sim.url}/bench`,
      'providers.tavily.api_key': 'tvly-bench',
      'search.provider': 'tavily',
      'extract.provider': 'tavily',
      'research.tavily_extract_max_urls': 20,
    },
  });
  const engine = createEngine(config, { home, log: silentLogger });
  const input = {
    query: 'How much power do tidal power stations of the harbour produce?',
    max_sub_queries: SUB_QUERIES,
    max_sources_per_query: SOURCES,
    max_concurrent: CONCURRENT,
    max_iterations: 1,
  };
  const started = performance.now();
  const { session } = await perform(research, input, createCall(engine.services), engine.services);
  const wallMs = performance.now() - started;
  await engine.close();
  await sim.close();
  rmSync(home, { recursive: true, force: true });
  return { wallMs, sources: session.source_count, findings: session.finding_count };
}

await measure();
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure());
const walls = rounds.map(({ wallMs }) => wallMs).sort((a, b) => a - b);
// The first search alone, then the others in waves, then all pages in one wave of batches.
const criticalMs = SEARCH_MS + Math.ceil((SUB_QUERIES - 1) / CONCURRENT) * SEARCH_MS + EXTRACT_MS;
const median = walls[Math.floor(walls.length / 2)] ?? 0;
console.log(
  JSON.stringify(
    {
      benchmark: 'research',
      commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
      node: process.version,
      cpus: cpus().length,
      n: ROUNDS,
      sources: rounds[0]?.sources,
      findings: rounds[0]?.findings,
      criticalMs,
      medianMs: Math.round(median),
      p95Ms: Math.round(walls.at(-1) ?? 0),
      ratio: Math.round((median / criticalMs) * 100) / 100,
      rssMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
    },
    null,
    2,
  ),
);
