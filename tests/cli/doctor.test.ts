import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { diagnose, type DoctorFinding } from '../../src/operations/doctor.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';

/** `headgate doctor` names common set-up mistakes. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

async function doctor(flags: Record<string, unknown>, online = false): Promise<DoctorFinding[]> {
  const { config } = loadConfig({
    flags: {
      'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
      'providers.duckduckgo.pace_ms': 0,
      'providers.jina.enabled': false,
      ...flags,
    },
  });
  const engine = createEngine(config, { log: silentLogger });
  const findings = await diagnose(engine.services, { online, signal: new AbortController().signal });
  await engine.close();
  return findings;
}
const texts = (findings: DoctorFinding[]): string =>
  findings.map((one) => `${one.level} ${one.subject}: ${one.text}`).join('\n');

describe('doctor, offline', () => {
  test('says what is missing and how to set it', async () => {
    expect(texts(await doctor({}))).toContain('note Tavily: not set up. Set TAVILY_API_KEY');
  });

  test.each([
    ['"tvly-1234567890"', 'is wrapped in quotation marks'],
    ['your-api-key-here', 'looks like a placeholder'],
    ['Bearer tvly-1234567890', 'contains white space'],
    ['sk-1234567890123', 'does not start with tvly-'],
  ])('a malformed key is named without being shown: %s', async (key, expected) => {
    const text = texts(await doctor({ 'providers.tavily.api_key': [key] }));
    expect(text).toContain(expected);
    expect(text).not.toContain(key);
  });

  test('proxy variables are said to be used for providers and ignored for pages', async () => {
    expect(texts(await doctor({ 'network.https_proxy': 'http://proxy.example:3128' }))).toContain(
      'used for provider APIs only',
    );
  });
});

describe('doctor, online', () => {
  test('a provider that answers is well', async () => {
    expect(texts(await doctor({}, true))).toMatch(/ok DuckDuckGo: answers in \d+ ms/);
  });

  test('SearXNG without JSON names the setting', async () => {
    sim.script('/searxng', [
      {
        kind: 'status',
        status: 403,
        headers: { 'content-type': 'text/html' },
        body: '<h1>Forbidden</h1>',
        times: 'always',
      },
    ]);
    expect(texts(await doctor({ 'providers.searxng.base_url': `${sim.url}/searxng` }, true))).toContain(
      'search.formats',
    );
  });

  test('blocked engines and a challenge are problems, in words', async () => {
    sim.script('/duckduckgo', [
      {
        kind: 'status',
        status: 202,
        headers: { 'content-type': 'text/html' },
        body: '<form id="challenge-form" class="anomaly-modal"></form>',
        times: 'always',
      },
    ]);
    expect(texts(await doctor({}, true))).toMatch(/problem DuckDuckGo: .*(robots|check)/);
  });

  test('a clock that is wrong is told', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    sim.script('/duckduckgo', [{ kind: 'status', status: 503, headers: { date }, times: 'always' }]);
    expect(texts(await doctor({}, true))).toMatch(
      /problem Clock: the clock of this machine is 3[56]\d\d s off/,
    );
  });
});
