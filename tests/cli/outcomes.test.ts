import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { runHeadgate } from '../support/cli.ts';

/** What the commands print is what happened. */
let sim: Sim;
const home = mkdtempSync(join(tmpdir(), 'headgate-outcomes-'));
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

const headgate = (argv: string[], env: Record<string, string> = {}) =>
  runHeadgate(argv, {
    home,
    env: {
      HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${sim.url}/duckduckgo`,
      HEADGATE_PROVIDERS__DUCKDUCKGO__PACE_MS: '0',
      HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim.url}/tavily`,
      HEADGATE_GUARD__ALLOW: '127.0.0.1',
      HEADGATE_GUARD__PORTS: new URL(sim.url).port,
      ...env,
    },
  });

const html = (body: string) =>
  ({ kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body, times: 'always' }) as const;

describe('search', () => {
  test('results that could not be read are not told as none', async () => {
    sim.script('/duckduckgo', [html('<p>Hello</p>')]);
    const { out } = await headgate(['search', 'unreadable tides']);
    expect(out).toMatch(/The results could not be read.*This does not mean that there are none\./);
  });

  test('a search that found nothing says no more than that', async () => {
    const { out } = await headgate(['search', 'noresult']);
    expect(out).toMatch(/^0 results · DuckDuckGo/);
  });

  test('who failed before another answered is told, with the reason', async () => {
    sim.script('/tavily', [{ kind: 'status', status: 432, body: '{}', times: 'always' }]);
    const { out } = await headgate(['search', 'tides at noon'], { TAVILY_API_KEY: 'tvly-empty' });
    expect(out).toMatch(/! Did not answer: tavily: quota \(Tavily has nothing left on this key/);
    expect(out).toMatch(/5 results/);
  });
});

describe('a walk through a site', () => {
  test('a list that is cut says that there is more', async () => {
    const { out } = await headgate(['map', `${sim.url}/web/river`, '--limit', '1']);
    expect(out).toMatch(/There are more pages: raise --limit|more pages were found; raise limit/);
  });

  test('pages without text and pages that failed are told', async () => {
    sim.script('/web/river', [html('<html><body></body></html>')]);
    const { out } = await headgate(['crawl', `${sim.url}/web/river`, '--limit', '1']);
    expect(out).toContain('! Outcome: degraded.');
    expect(out).toMatch(/! 1 page: .*(?:no|little|empty)/i);
  });
});
