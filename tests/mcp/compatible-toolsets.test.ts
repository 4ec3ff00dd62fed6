import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { createScriptedResults, scriptedResultsConfig } from '../support/scripted-results.ts';
import { openToolsets, type ToolsetWorld } from '../support/toolset-world.ts';
import { until } from '../support/until.ts';

/** What the toolsets that stand in for other servers promise, over the simulated upstreams. */
let sim: Sim;
/** With Tavily's key, and without. */
let keyed: ToolsetWorld;
let keyless: ToolsetWorld;
/** Without, on the real clock. */
let reading: ToolsetWorld;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  keyed = openToolsets(sim, { tavily: 'tvly-works' });
  keyless = openToolsets(sim);
  // Pages are read by workers, which take their time.
  reading = openToolsets(sim, { clock: { ...systemClock, advance: () => undefined, slept: [] } });
});
beforeEach(() => {
  sim.reset();
  // Whatever keys and breakers remember of the test before is over.
  for (const world of [keyed, keyless]) world.clock.advance(24 * 3_600_000);
});
afterAll(async () => {
  await keyed.close();
  await keyless.close();
  await reading.close();
  await sim.close();
});

const answering = (body: unknown, status = 200): Fault => ({
  kind: 'status',
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
  times: 'always',
});

const page = (name: string): string => `${sim.url}/web/${name}`;
const asked = (path: string): unknown[] =>
  sim.requests
    .filter((request) => request.url.pathname === path)
    .map((request) => JSON.parse(request.body) as unknown);

describe('tavily-ja', () => {
  test.each<[number, string]>([
    [400, 'VALIDATION_ERROR'],
    [401, 'AUTH_ERROR'],
    [429, 'RATE_LIMIT_ERROR'],
    [500, 'SERVER_ERROR'],
    [503, 'SERVICE_UNAVAILABLE'],
    ...[402, 403, 404, 409, 413, 418, 422, 432, 501, 505, 520].map((status): [number, string] => [
      status,
      'API_ERROR',
    ]),
  ])('HTTP %i is %s', async (status, type) => {
    sim.script('/tavily', [answering({ detail: { error: 'no' } }, status)]);
    const { text } = await keyed.call('tavily-ja', 'tavily_search', { query: 'tides' });
    expect(text).toMatch(new RegExp(`\\nエラータイプ: ${type}$`));
  });

  test.each([
    ['tavily_search', { query: 'tides' }, 1],
    ['tavily_search', { query: 'tides', search_depth: 'advanced' }, 2],
    ['tavily_context', { query: 'tides' }, 1],
    ['tavily_extract', { urls: Array.from({ length: 6 }, (_, n) => `https://example.com/${n}`) }, 2],
  ])('%s %j costs its estimate when the answer has no usage', async (tool, input, credits) => {
    const results = Array.from({ length: 6 }, (_, n) => ({
      url: `https://example.com/${n}`,
      title: 'Tides',
      content: 'The tide is high.',
      raw_content: 'The tide is high.',
      score: 0.9,
    }));
    sim.script('/tavily', [answering({ results })]);
    const { meta } = await keyed.call('tavily-ja', tool, input);
    expect(meta).toMatchObject({ cost: { credits } });
  });
});

describe('research', () => {
  const extract = (world: ToolsetWorld, url: string) =>
    world.call('research', 'research', { action: 'extract', urls: [url] });

  test('action=extract asks Tavily where its key is set', async () => {
    const { text } = await extract(keyed, 'https://a.example/page');
    expect(JSON.parse(text)).toMatchObject({ success: true });
    expect(asked('/tavily/extract')).toMatchObject([{ urls: ['https://a.example/page'] }]);
  });

  test('action=extract reads pages itself where no key is set', async () => {
    const { text } = await extract(reading, page('river/gate'));
    expect(JSON.parse(text)).toMatchObject({ success: true });
    expect(asked('/tavily/extract')).toEqual([]);
  });

  test.each([
    ['search', { action: 'search', query: 'tides' }],
    ['extract', { action: 'extract', urls: ['https://a.example/'] }],
  ])('a quota that is used up is of the type quota on %s, not a rate limit', async (_action, input) => {
    sim.script('/tavily', [answering({ detail: { error: 'no credits' } }, 432)]);
    const world = openToolsets(sim, {
      tavily: 'tvly-works',
      flags: { 'providers.duckduckgo.enabled': false, 'extract.provider': 'tavily' },
    });
    const { data } = JSON.parse((await world.call('research', 'research', input)).text) as {
      data: Record<string, unknown>;
    };
    expect(data).toMatchObject({ error_code: 'QUOTA_EXCEEDED', error_type: 'quota' });
    expect(data['remediation']).not.toMatch(/again later/i);
    await world.close();
  });
});

test('research: www.gov.uk and go.jp are governments, whose pages are of high quality', async () => {
  const pages = {
    'www.gov.uk': 'The tide at the harbour is high when the moon stands over the meridian.',
    'www.mhlw.go.jp': 'Fishermen leave the harbour two hours before the high tide of the morning.',
    'abc.go.com': 'A gauge on the harbour wall records the high tide of each day since 1904.',
  };
  const results = Object.entries(pages).map(([host, content]) => ({
    url: `https://${host}/tides`,
    title: `The harbour, by ${host}`,
    content,
  }));
  const scripted = await startSim({ upstreams: [createScriptedResults(results)] });
  const world = openToolsets(scripted, { flags: scriptedResultsConfig(scripted.url) });
  const call = async (input: object): Promise<Record<string, unknown>> => {
    const { text } = await world.call('research', 'research', input);
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  };
  const { research_id } = await call({
    action: 'deep-research',
    query: 'When is the tide high at the harbour?',
    max_iterations: 1,
    follow_links: false,
  });
  await until(
    async () => (await call({ action: 'deep-research-status', research_id }))['is_complete'] === true,
  );
  const { sources } = (await call({ action: 'deep-research-report', research_id })) as {
    sources: { url: string; quality: string }[];
  };
  const qualities = sources.map(({ url, quality }) => [new URL(url).host, quality]);
  expect(Object.fromEntries(qualities)).toEqual({
    'www.gov.uk': 'high',
    'www.mhlw.go.jp': 'high',
    'abc.go.com': 'medium',
  });
  await world.close();
  await scripted.close();
});

describe('websearch', () => {
  const empty = { Heading: '', Abstract: '', RelatedTopics: [], Results: [], Type: '' };
  const lookUp = async (answer: object): Promise<string> => {
    sim.script('/duckduckgo-answer', [answering({ ...empty, ...answer })]);
    return (await keyless.call('websearch', 'instant_answer', { query: 'tides' })).text;
  };

  test('a query that contains anomaly-modal and finds nothing is no challenge', async () => {
    const query = 'anomaly-modal noresult';
    const { text, isError } = await keyless.call('websearch', 'web_search', { query });
    expect(isError).not.toBe(true);
    expect(text).toContain('No results found.');
  });

  test('a challenge is still one, whatever was asked', async () => {
    const { text, isError } = await keyless.call('websearch', 'web_search', { query: 'sim:challenge200' });
    expect(isError).toBe(true);
    expect(text).toContain('check for robots');
  });

  test('rows that name profiles elsewhere are left out of the facts', async () => {
    const content = [
      { data_type: 'string', label: 'Born', value: '1815' },
      { data_type: 'twitter_profile', label: 'Twitter profile', value: 'ada' },
      { data_type: 'instagram_profile', label: 'Instagram profile', value: 'ada' },
    ];
    const text = await lookUp({ Infobox: { content } });
    expect(text).toContain('### Facts\n- **Born:** 1815');
    expect(text).not.toMatch(/profile/i);
  });

  test('an answer that is only a redirect shows where it leads', async () => {
    const text = await lookUp({ Redirect: 'https://en.wikipedia.org/wiki/Tide' });
    expect(text).toContain('**URL:** https://en.wikipedia.org/wiki/Tide');
    expect(text).not.toContain('No instant answer');
  });

  test('the groups of a disambiguation keep their names', async () => {
    const topic = (name: string) => ({
      FirstURL: `https://duckduckgo.com/${name}`,
      Text: `${name} - about ${name}`,
      Result: '',
    });
    const text = await lookUp({
      Type: 'D',
      RelatedTopics: [
        topic('Tide'),
        { Name: 'Music', Topics: [topic('High'), topic('Low')] },
        { Name: 'Places', Topics: [topic('Tideswell')] },
      ],
    });
    expect(text).toContain(
      [
        '### Related Topics',
        '- **Tide** - about Tide',
        '',
        '**Music**',
        '- **High** - about High',
        '- **Low** - about Low',
        '',
        '**Places**',
        '- **Tideswell** - about Tideswell',
      ].join('\n'),
    );
  });

  test.each([
    ['wt-wt', 'en-US,en;q=0.8'],
    ['us-en', 'en-US,en;q=0.8'],
    ['uk-en', 'en-GB,en;q=0.8'],
    ['jp-jp', 'ja-JP,ja;q=0.8,en;q=0.5'],
    ['kr-kr', 'ko-KR,ko;q=0.8,en;q=0.5'],
    ['de-de', 'de-DE,de;q=0.8,en;q=0.5'],
    ['ca-fr', 'fr-CA,fr;q=0.8,en;q=0.5'],
    ['tw-tzh', 'zh-TW,zh;q=0.8,en;q=0.5'],
    ['ct-ca', 'ca,en;q=0.5'],
  ])('in the region %s pages are asked for in %s', async (region, expected) => {
    const world = openToolsets(sim, { flags: { 'providers.duckduckgo.region': region } });
    await world.call('websearch', 'web_search', { query: 'tides' });
    await world.call('websearch', 'instant_answer', { query: 'tides' });
    expect(sim.requests.map(({ headers }) => headers['accept-language'])).toEqual([expected, expected]);
    await world.close();
  });
});

describe('agent', () => {
  test('search_web asks for the summary answer', async () => {
    const world = openToolsets(sim, {
      tavily: 'tvly-works',
      flags: { 'providers.duckduckgo.enabled': false },
    });
    const { text } = await world.call('agent', 'search_web', { query: 'tides' });
    expect(asked('/tavily/search')).toMatchObject([{ include_answer: 'basic' }]);
    expect(text).toContain('**Summary Answer:**');
    await world.close();
  });

  test('fetch_url shows the images of the page', async () => {
    const html =
      '<title>Gate</title><article><p>The gate opens at high tide every day.</p><img src="/gate.png"></article>';
    sim.script('/web/river/gate', [
      { kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: html },
    ]);
    const { text } = await reading.call('agent', 'fetch_url', { url: page('river/gate') });
    expect(text).toContain(`**Images found:** 1\n- ${sim.url}/gate.png`);
  });
});

describe('addresses that differ only in their fragment are one page', () => {
  test('among the results of a search', async () => {
    const results = ['', '#high', '#low'].map((fragment) => ({
      url: `https://example.com/tides${fragment}`,
      title: 'Tides',
      content: 'The tide is high.',
      score: 0.9,
    }));
    sim.script('/tavily', [answering({ results, usage: { credits: 1 } })]);
    const { text } = await keyed.call('tavily-ja', 'tavily_search', { query: 'tides' });
    expect(text.match(/^URL: .*$/gm)).toEqual(['URL: https://example.com/tides']);
  });

  test.each([
    ['tavily-ja', 'tavily_extract', (urls: string[]) => ({ urls })],
    ['research', 'research', (urls: string[]) => ({ action: 'extract', urls })],
    ['tavily', 'tavily_extract', (urls: string[]) => ({ urls })],
  ])('in the list that %s reads', async (toolset, tool, inputOf) => {
    const urls = ['', '#high', '#low'].map((fragment) => `${page('river/gate')}${fragment}`);
    const { isError } = await reading.call(toolset, tool, inputOf(urls));
    expect(isError).not.toBe(true);
    expect(sim.requests.filter(({ url }) => url.pathname === '/web/river/gate')).toHaveLength(1);
  });
});
