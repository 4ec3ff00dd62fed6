import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createPagesUpstream } from '../../benchmarks/research/upstream.ts';
import { loadConfig } from '../../src/config/load.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import { startSim } from '../../src/sim/server.ts';
import { sized } from '../support/sized.ts';
import { readingThreads } from '../support/reading-threads.ts';

const MIB = 1024 * 1024;
/** What a session may keep at most, with as much again for everything around the texts. */
const BOUND = 2 * LIMITS.researchSourcesMax * LIMITS.researchSourceCharsMax * 2;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const sentences = sized('sentences of each page that a research weighs', {
  small: 600,
  large: 4_500,
  full: 4_500,
});

test('a session keeps what the limits say, not what the pages weigh', async () => {
  const sim = await startSim({ upstreams: [createPagesUpstream({ sources: 10, sentences })] });
  const home = mkdtempSync(join(tmpdir(), 'headgate-memory-'));
  const flags = {
    'providers.tavily.base_url': `${sim.url}/bench`,
    'providers.tavily.api_key': 'tvly-test',
    'search.provider': 'tavily',
    'cache.enabled': false,
  };
  const engine = createEngine(loadConfig({ flags }).config, {
    home,
    log: silentLogger,
    pool: readingThreads,
  });
  try {
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    let before = 0;
    let full = 0;
    const call = {
      ...createCall(engine.services, { timeoutMs: 100_000 }),
      progress: ({ message }: { message?: string }) => {
        if (message === 'Planning') before = heap();
        if (message === 'Writing the report') full = heap();
      },
    };
    const input = {
      query: 'How much power do tidal power stations of the harbour produce?',
      max_sub_queries: 20,
      max_sources_per_query: 10,
      max_iterations: 1,
      include_raw_content: 'markdown',
      follow_links: false,
    };
    const { session, report } = await perform(research, input, { call, services: engine.services });
    expect(session.source_count).toBe(LIMITS.researchSourcesMax);
    expect(before).toBeGreaterThan(0);
    expect((full - before) / MIB).toBeLessThan(BOUND / MIB);
    expect(report?.findings.length).toBeGreaterThan(0);
    expect(report?.limitations.join(' ')).toContain('only in part');
  } finally {
    await engine.close();
    await sim.close();
    rmSync(home, { recursive: true, force: true });
  }
}, 120_000);
