import { describe, expect, test } from 'vitest';
import { brave } from '../../src/providers/brave.ts';
import { jina } from '../../src/providers/jina/jina.ts';
import { opensearch } from '../../src/providers/opensearch/opensearch.ts';
import { searxng } from '../../src/providers/searxng.ts';
import { tavily } from '../../src/providers/tavily/tavily.ts';
import { braveSim } from '../../src/sim/brave.ts';
import { jinaSearchSim, jinaSim } from '../../src/sim/jina.ts';
import { opensearchSim } from '../../src/sim/opensearch.ts';
import { providerSims } from '../../src/sim/provider-api.ts';
import { searxngSim } from '../../src/sim/searxng.ts';
import { tavilySim } from '../../src/sim/tavily.ts';
import type { SimUpstream } from '../../src/sim/upstream.ts';
import { goodKey, searchers } from '../support/every-provider.ts';
import { codeOf, playExtract, playSearch, type Setting } from '../support/play.ts';

/** Providers that give fewer than thirty results. */
const MOST: Record<string, number> = { tavily: 20, perplexity: 20 };

const SETTINGS: Record<string, Setting> = {
  tavily: { provider: tavily, upstream: tavilySim, key: 'tvly-good' },
  brave: { provider: brave, upstream: braveSim, key: 'BSAgood' },
  searxng: { provider: searxng, upstream: searxngSim, settings: { base_url: 'https://search.example' } },
  jina: { provider: jina, upstream: jinaSearchSim, key: 'jina_good' },
  opensearch: {
    provider: opensearch,
    upstream: opensearchSim,
    settings: { base_url: 'https://search.example' },
  },
};
for (const provider of searchers.filter(({ simulate }) => simulate !== undefined))
  SETTINGS[provider.id] = {
    provider,
    upstream: providerSims([provider])[0] as SimUpstream,
    ...(provider.keys !== 'none' && { key: goodKey(provider) }),
  };
const reader: Setting = { provider: jina, upstream: jinaSim };
const settings = Object.entries(SETTINGS);

describe.each(settings)('%s on its simulator', (id, setting) => {
  test('gives as many different results as asked for, best first, scores within 0–1', () => {
    const pageMax = MOST[id] ?? 30;
    const wanted = Math.min(30, pageMax);
    const sources = playSearch(setting, { text: 'tidal mills', resultsMax: 30 }).flatMap(
      (page) => page.sources,
    );
    expect(sources).toHaveLength(wanted);
    expect(new Set(sources.map((source) => source.url)).size).toBe(wanted);
    expect(sources.every(({ score }) => score > 0 && score <= 1)).toBe(true);
    expect(sources[0]?.score).toBe(Math.max(...sources.map(({ score }) => score)));
    expect(sources[0]).toMatchObject({ provider: id, trust: 'untrusted_web' });
  });

  test('says empty where there is nothing', () => {
    expect(playSearch(setting, { text: 'xyzzy12345noresult', resultsMax: 5 })).toMatchObject([
      { outcome: 'empty', sources: [] },
    ]);
  });

  test('is asked within its limits whatever the query sets', () => {
    const query = {
      text: 'tidal mills',
      resultsMax: 30,
      depth: 'advanced',
      topic: 'news',
      timeRange: 'week',
      startDate: '2026-01-01',
      includeDomains: Array.from({ length: 100 }, (_, index) => `domain-${index}.example`),
      country: 'it',
      language: 'de',
      chunksPerSource: 5,
    } as const;
    const [page] = playSearch(setting, { ...query, includeDomains: [...query.includeDomains] });
    // OpenSearch filters by itself, so that nothing within the filter is a clean answer.
    expect(page?.outcome).toMatch(id === 'opensearch' ? /^empty$/ : /^(ok|degraded)$/);
  });
});

const SIGNALLED = Object.values(SETTINGS).filter(({ provider }) => provider.simulate !== undefined);

describe.each(SIGNALLED.map((setting) => [setting.provider.id, setting] as const))('%s', (_id, setting) => {
  test.each([
    ['bad', 'upstream_authentication'],
    ['quota', 'upstream_quota'],
    ['429', 'upstream_rate_limit'],
    ['500', 'upstream_unavailable'],
    ['html', 'upstream_bad_answer'],
    ['cut', 'upstream_bad_answer'],
  ])('with a key that ends in %s is %s', (end, expected) => {
    const { provider } = setting;
    const asked = provider.keys === 'none' ? setting : { ...setting, key: `${goodKey(provider)}-${end}` };
    const text = provider.keys === 'none' ? `tidal mills sim:${end}` : 'tidal mills';
    expect(codeOf(() => playSearch(asked, { text, resultsMax: 5 })[0]?.outcome ?? '')).toBe(expected);
  });

  test('without a key is not asked where it needs one', () => {
    const { key: _, ...keyless } = setting;
    const outcome = codeOf(
      () => playSearch(keyless, { text: 'tidal mills', resultsMax: 5 })[0]?.outcome ?? '',
    );
    expect(outcome).toBe(setting.provider.keys === 'required' ? 'not_configured' : 'ok');
  });

  test.runIf(setting.provider.extract)('reads pages, and names those that are gone', () => {
    const urls = ['https://mills.example/a', 'https://gone.example/b'];
    const pages = setting.provider.extract?.urlsMax === 1 ? urls.map((url) => [url]) : [urls];
    const read = pages.map((some) => playExtract(setting, { urls: some, format: 'markdown' }));
    expect(read.flatMap(({ sources }) => sources.map(({ url }) => url))).toEqual([urls[0]]);
    expect(read.flatMap(({ sources }) => sources)[0]?.content).toContain('The content of');
    expect(read.flatMap(({ failed }) => failed.map(({ url }) => url))).toEqual([urls[1]]);
  });
});

test.each([
  ['tavily', undefined, 'not_configured'],
  ['tavily', 'tvly-bad', 'upstream_authentication'],
  ['tavily', 'tvly-forbidden', 'upstream_authentication'],
  ['tavily', 'tvly-429', 'upstream_rate_limit'],
  ['tavily', 'tvly-keyless', 'upstream_rate_limit'],
  ['tavily', 'tvly-quota', 'upstream_quota'],
  ['tavily', 'tvly-paygo', 'upstream_quota'],
  ['tavily', 'tvly-500', 'upstream_unavailable'],
  ['tavily', 'tvly-503', 'upstream_unavailable'],
  ['tavily', 'tvly-html', 'upstream_bad_answer'],
  ['tavily', 'tvly-cut', 'upstream_bad_answer'],
  ['brave', undefined, 'not_configured'],
  ['brave', 'BSA-bad', 'upstream_authentication'],
  ['brave', 'BSA-429', 'upstream_rate_limit'],
  ['brave', 'BSA-quota', 'upstream_quota'],
  ['brave', 'BSA-500', 'upstream_unavailable'],
  ['jina', undefined, 'not_configured'],
  ['jina', 'jina_bad', 'upstream_authentication'],
  ['jina', 'jina_empty', 'upstream_quota'],
  ['jina', 'jina_200', 'upstream_quota'],
  ['jina', 'jina_429', 'upstream_rate_limit'],
  ['jina', 'jina_503', 'upstream_unavailable'],
  ['opensearch', 'me:bad', 'upstream_authentication'],
  ['opensearch', 'bad', 'upstream_authentication'],
  ['opensearch', 'me:good', 'ok'],
])('%s with the key %s is %s', (id, key, expected) => {
  const { key: _, ...setting } = SETTINGS[id] as Setting;
  const asked = key === undefined ? setting : { ...setting, key };
  expect(codeOf(() => playSearch(asked, { text: 'tidal mills', resultsMax: 5 })[0]?.outcome ?? '')).toBe(
    expected,
  );
});

test.each([
  ['sim:engines', 'degraded'],
  ['sim:some', 'ok'],
  ['sim:jsonoff', 'not_configured'],
  ['sim:limiter', 'upstream_rate_limit'],
  ['sim:error', 'upstream_unavailable'],
  ['!!g mills', 'ok'],
])('SearXNG in the mood %s is %s', (text, expected) => {
  const setting = SETTINGS['searxng'] as Setting;
  expect(codeOf(() => playSearch(setting, { text, resultsMax: 5 })[0]?.outcome ?? '')).toBe(expected);
});

test.each([
  ['sim:shards', 'degraded'],
  ['sim:timeout', 'ok'],
])('OpenSearch in the mood %s is %s', (text, expected) => {
  const setting = SETTINGS['opensearch'] as Setting;
  expect(codeOf(() => playSearch(setting, { text, resultsMax: 5 })[0]?.outcome ?? '')).toBe(expected);
});

test('Tavily matches its normalised URLs, keeps failures apart and says what it charged', () => {
  const urls = ['https://www.mills.example/a/', 'https://gone.example/b', 'http://museum.example'];
  const page = playExtract(SETTINGS['tavily'] as Setting, {
    urls,
    format: 'markdown',
    query: 'ebb',
    depth: 'advanced',
  });
  expect(page.sources.map((source) => source.url)).toEqual([urls[0], `${urls[2]}/`]);
  expect(page.sources[0]?.chunks).toHaveLength(2);
  expect(page.failed).toEqual([{ url: urls[1], error: 'The page answered with HTTP 404.' }]);
  expect(page.credits).toBe(2);
});

test.each([
  ['https://mills.example/a', undefined, 'ok'],
  ['https://gone.example/a', undefined, 'failed'],
  ['https://blank.example/a', undefined, 'failed'],
  ['https://closed.example/a', undefined, 'upstream_blocked'],
  ['https://closed.example/a', 'jina_good', 'ok'],
  ['https://mills.example/a', 'jina_empty', 'upstream_quota'],
])('the reader on %s with the key %s is %s', (url, key, expected) => {
  const setting = key === undefined ? reader : { ...reader, key };
  const outcome = codeOf(() =>
    playExtract(setting, { urls: [url], format: 'text' }).failed.length === 0 ? 'ok' : 'failed',
  );
  expect(outcome).toBe(expected);
});
