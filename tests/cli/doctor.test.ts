import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { diagnose, type DoctorFinding } from '../../src/operations/doctor.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { searchers, simSettings } from '../support/every-provider.ts';

/** `headgate doctor` names common set-up mistakes. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

async function doctor(
  flags: Record<string, unknown>,
  online = false,
  live = false,
): Promise<DoctorFinding[]> {
  const { config } = loadConfig({
    flags: {
      'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
      'providers.duckduckgo.pace_ms': 0,
      'providers.jina.enabled': false,
      ...flags,
    },
  });
  const engine = createEngine(config, { log: silentLogger });
  const findings = await diagnose(engine.services, { online, live, signal: new AbortController().signal });
  await engine.close();
  return findings;
}
const texts = (findings: DoctorFinding[]): string =>
  findings.map((one) => `${one.level} ${one.subject}: ${one.text}`).join('\n');

describe('doctor, online', () => {
  test('does not say of the library, which searches, that it does not', async () => {
    const said = texts(await doctor({}, true));
    expect(said).toContain('note Library: set up; built in; it needs no other service.');
    expect(said).toContain('note Headgate: set up; built in; it needs no other service.');
  });
});

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

  test('who is asked about topics is named, and who is not until there is a contact', async () => {
    const without = texts(await doctor({}));
    expect(without).toMatch(/note Topics: Stack Exchange, MDN, .*arXiv.* are asked about their topics/);
    expect(without).toMatch(
      /note Topics: Wikipedia, Wikidata, Crossref, PubMed: not asked\. .*\[identity\] contact/,
    );
    expect(texts(await doctor({ 'identity.contact': 'ops@example.org' }))).toMatch(
      /note Topics: Wikipedia, Wikidata, .* are asked/,
    );
  });

  test('[search] keyless limits who is used without a key', async () => {
    const text = texts(await doctor({ 'search.keyless': ['arxiv'] }));
    expect(text).toContain('note Topics: arXiv is asked about its topics');
    expect(text).toMatch(/Topics: Wikipedia, Wikidata, .*: not asked\. It is not in \[search\] keyless\./);
    expect(text).toContain('note DuckDuckGo: not set up. It is not in [search] keyless.');
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

describe('doctor, live', () => {
  const live = (flags: Record<string, unknown>) => doctor(flags, true, true).then(texts);
  const withKey = (id: string, key: string) => {
    const card = searchers.find((one) => one.id === id);
    return card === undefined ? {} : simSettings(card, sim.url, key);
  };

  test.each([
    ['tavily', 'tvly-0123456789', 'ok Tavily: the key is accepted; 850 credits are left.'],
    ['serpapi', 'serp-0123456789', 'ok SerpApi: the key is accepted; 200 searches are left.'],
    ['linkup', 'link-0123456789', 'ok Linkup: the key is accepted; 12.5 credits are left.'],
  ])('%s is asked what is left, without a search', async (id, key, expected) => {
    expect(await live(withKey(id, key))).toContain(expected);
    const asked = sim.requests.filter(({ url }) => url.pathname.startsWith(`/${id}/`));
    expect(asked.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      expect.stringMatching(/^GET .*(usage|account\.json|balance)$/),
    ]);
  });

  test('every key of a provider is checked, and what to do is named', async () => {
    const text = await live(withKey('serpapi', 'serp-0123456789,serp-0123456789-bad'));
    expect(text).toContain('ok SerpApi: key 1 is accepted; 200 searches are left.');
    expect(text).toMatch(/problem SerpApi: key 2: SerpApi did not accept the key.*SERPAPI_API_KEY/);
    expect(text).not.toContain('serp-0123456789');
  });

  test('a provider without such a call is searched once, which costs the least it can', async () => {
    const text = await live(withKey('exa', 'exa-0123456789'));
    expect(text).toMatch(
      /ok Exa: the key is accepted; a search took \d+ ms and cost 7 credits. Exa does not say what is left/,
    );
    expect(await live(withKey('exa', 'exa-0123456789-quota'))).toMatch(
      /problem Exa: .*has nothing left on this key/,
    );
  });

  test('without it, nothing is asked that costs a credit, and how to is said', async () => {
    expect(texts(await doctor(withKey('exa', 'exa-0123456789'), true))).toContain(
      'note Exa: set up with one key; not called, because a call costs a credit. `doctor --live` checks its keys.',
    );
    expect(sim.requests.filter(({ url }) => url.pathname.startsWith('/exa'))).toEqual([]);
  });

  test('every provider with a key can be checked', async () => {
    const all = searchers.filter(({ keys, id }) => keys !== 'none' && id !== 'opensearch');
    const text = await live(
      Object.assign({}, ...all.map((card) => simSettings(card, sim.url))) as object as Record<
        string,
        unknown
      >,
    );
    for (const { title } of all) expect(text).toContain(`ok ${title}: the key is accepted`);
  });
});
