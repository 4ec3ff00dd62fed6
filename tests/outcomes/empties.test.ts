import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { openToolsets, type ToolsetWorld } from '../support/toolset-world.ts';

let sim: Sim;
let world: ToolsetWorld;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterEach(() => world.close());
afterAll(() => sim.close());

const html = (body: string): Fault => ({
  kind: 'status',
  status: 200,
  headers: { 'content-type': 'text/html' },
  body,
});
const ADVERTISEMENT =
  '<div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=a.example">Ad</a></div>';
const NEXT =
  '<div class="nav-link"><form><input type="hidden" name="q" value="tides"/><input type="hidden" name="s" value="0"/><input type="hidden" name="vqd" value="1"/></form></div>';

const UNUSABLE: [name: string, fault: Fault][] = [
  ['a page without results or a notice', html('<html><body><p>Hello</p></body></html>')],
  ['an empty body', html('')],
  ['advertisements only', html(`<div id="links">${ADVERTISEMENT}</div>`)],
  [
    'results that lead to no web page',
    html(
      '<div id="links"><div class="result"><a class="result__a" href="ftp://a.example/">A</a></div></div>',
    ),
  ],
];

const TOOLS: [toolset: string, tool: string, nothing: RegExp, said: RegExp][] = [
  [
    'websearch',
    'web_search',
    /No results found\./,
    /could not be read: .+ does not mean that there are none/,
  ],
  ['agent', 'search_web', /Found 0/, /could not be read: .+ does not mean that there are none/],
  ['default', 'web_search', /No results for/, /could not be read: .+ does not mean that there are none/],
  [
    'tavily',
    'tavily_search',
    /No results found\./,
    /could not be read: .+ does not mean that there are none/,
  ],
  ['tavily-ja', 'tavily_search', /見つかりませんでした/, /DuckDuckGoから検索結果を読み取れませんでした。/],
  ['tavily-ja', 'tavily_context', /見つかりませんでした/, /DuckDuckGoから検索結果を読み取れませんでした。/],
];

describe.each(UNUSABLE)('%s', (_name, fault) => {
  test.each(TOOLS)('is not "nothing found" to %s %s', async (toolset, tool, nothing, said) => {
    world = openToolsets(sim);
    sim.script('/duckduckgo', [fault]);
    const { text, meta } = await world.call(toolset, tool, { query: 'tides' });
    expect(meta).toMatchObject({ outcome: 'degraded' });
    expect(text).not.toMatch(nothing);
    expect(text).toMatch(said);
  });
});

test.each(TOOLS)('nothing found is said by %s %s when DuckDuckGo says so', async (toolset, tool, nothing) => {
  world = openToolsets(sim);
  const { text, meta } = await world.call(toolset, tool, { query: 'noresult' });
  expect(meta).toMatchObject({ outcome: 'empty' });
  expect(text).toMatch(nothing);
});

const fifteen = { query: 'tides', max_results: 15 };
const page2 = { path: '/duckduckgo', contains: 's=10' };
const challenge = html('<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>');

test('a blocked second page makes the answer partial, says so, and is not kept', async () => {
  world = openToolsets(sim, { flags: { 'cache.enabled': true } });
  sim.script(page2, [challenge]);
  const part = await world.call('websearch', 'web_search', fifteen);
  expect(part.meta).toMatchObject({ outcome: 'partial', attempts: [{ outcome: 'partial' }] });
  expect(part.text).toMatch(/Note: Page 2 of DuckDuckGo failed: .*check for robots/);
  expect(part.text).toMatch(/\(10 results\)/);
  const whole = await world.call('websearch', 'web_search', fifteen);
  expect(whole.meta).toMatchObject({ outcome: 'ok' });
  expect(whole.text).toMatch(/\(15 results\)/);
});

test('a second page that cannot be read makes the answer partial', async () => {
  world = openToolsets(sim);
  sim.script(page2, [html('<p>Hello</p>')]);
  const { text, meta } = await world.call('websearch', 'web_search', fifteen);
  expect(meta).toMatchObject({ outcome: 'partial' });
  expect(text).toMatch(/Note: Page 2 of DuckDuckGo failed/);
});

test('a second page is retried like the first', async () => {
  world = openToolsets(sim);
  sim.script(page2, [{ kind: 'status', status: 503, times: 3 }]);
  const { text, meta } = await world.call('websearch', 'web_search', fifteen);
  expect(meta).toMatchObject({ outcome: 'ok' });
  expect(text).toMatch(/\(15 results\)/);
  expect(world.waits).toEqual([1_000, 2_000, 4_000]);
});

test('in Japanese a missing page is said in Japanese', async () => {
  world = openToolsets(sim);
  sim.script(page2, [challenge]);
  const { text } = await world.call('tavily-ja', 'tavily_search', fifteen);
  expect(text).toMatch(/> 警告: DuckDuckGoの2ページ目を取得できなかったため、結果は一部のみです。/);
});

test('a first page of advertisements is followed to the next one', async () => {
  world = openToolsets(sim);
  sim.script('/duckduckgo', [html(`<div id="links">${ADVERTISEMENT}${NEXT}</div>`)]);
  const { text, meta } = await world.call('websearch', 'web_search', { query: 'tides', max_results: 5 });
  expect(meta).toMatchObject({ outcome: 'ok' });
  expect(text).toMatch(/\(5 results\)/);
  expect(sim.requests).toHaveLength(2);
});
