import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { toInputSchema } from '../../src/toolsets/input-schema.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import type { Tool, Toolset } from '../../src/toolsets/tool.ts';
import { createRealTime, openToolsets, type ToolsetWorld } from '../support/toolset-world.ts';

/**
 * Every tool of every listed toolset × every way in which a call can go: what the text says is what happened. How a tool is called
 * follows from its schema, and who it asks from what the simulator saw, so that a new toolset is tested by being listed.
 */

const CASES = [
  'ok',
  'empty',
  'degraded',
  'partial',
  'blocked',
  'quota',
  'rate',
  'auth',
  'timeout',
  'malformed',
] as const;
type Case = (typeof CASES)[number];

interface Played {
  faults?: Fault[];
  outcome: string;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Fault => ({
  kind: 'status',
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  times: 'always',
});
const html = (body: string, status = 200): Fault => ({
  kind: 'status',
  status,
  headers: { 'content-type': 'text/html' },
  body,
});
const row = (index: number): string =>
  `<div class="result"><a class="result__a" href="https://a.example/${index}">Tides ${index}</a></div>`;
const NEXT =
  '<div class="nav-link"><form><input type="hidden" name="q" value="tides"/><input type="hidden" name="vqd" value="1"/></form></div>';
const CHALLENGE = '<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>';
const WAIT = { 'retry-after': '300' };
const PAGES = ['/web/river', '/web/history'];

/** How each upstream expresses a case, and the outcome that it is; a case without an entry cannot happen there. */
const UPSTREAMS: Record<string, Partial<Record<Case, Played>>> = {
  '/tavily/search': {
    ok: { outcome: 'ok' },
    empty: { outcome: 'empty' },
    degraded: {
      faults: [json(200, { results: [{ url: 'ftp://a.example/', title: 'A' }] })],
      outcome: 'degraded',
    },
    blocked: { faults: [json(403, '<p>', { 'cf-mitigated': 'challenge' })], outcome: 'blocked' },
    quota: { faults: [json(432, {})], outcome: 'quota' },
    rate: { faults: [json(429, {}, WAIT)], outcome: 'rate_limit' },
    auth: { faults: [json(401, {})], outcome: 'auth' },
    timeout: { faults: [json(408, {})], outcome: 'timeout' },
    malformed: { faults: [json(200, '{"results": [')], outcome: 'failed' },
  },
  '/tavily/extract': {
    ok: { outcome: 'ok' },
    blocked: { faults: [json(403, '<p>', { 'cf-mitigated': 'challenge' })], outcome: 'blocked' },
    quota: { faults: [json(432, {})], outcome: 'quota' },
    rate: { faults: [json(429, {}, WAIT)], outcome: 'rate_limit' },
    auth: { faults: [json(401, {})], outcome: 'auth' },
    timeout: { faults: [json(408, {})], outcome: 'timeout' },
    malformed: { faults: [json(200, '{"results": [')], outcome: 'failed' },
  },
  '/duckduckgo/html': {
    ok: { outcome: 'ok' },
    empty: { outcome: 'empty' },
    degraded: { faults: [html('<p>Hello</p>')], outcome: 'degraded' },
    partial: {
      faults: [html(`<div id="links">${row(1)}${row(2)}${NEXT}</div>`), html(CHALLENGE, 202)],
      outcome: 'partial',
    },
    blocked: { faults: [html(CHALLENGE, 202)], outcome: 'blocked' },
    rate: { faults: [json(429, '', WAIT)], outcome: 'rate_limit' },
    timeout: { faults: [json(408, '')], outcome: 'timeout' },
  },
  '/duckduckgo-answer': {
    ok: { outcome: 'ok' },
    empty: { outcome: 'empty' },
    blocked: { faults: [html('', 202)], outcome: 'blocked' },
    rate: { faults: [json(429, '', WAIT)], outcome: 'rate_limit' },
    timeout: { faults: [json(408, '')], outcome: 'timeout' },
    malformed: { faults: [json(200, '{"Abstract": ')], outcome: 'failed' },
  },
  '/web': {
    ok: { outcome: 'ok' },
    degraded: { faults: [{ ...html('<html><body></body></html>'), times: 'always' }], outcome: 'degraded' },
    partial: { faults: [{ kind: 'pass' }, html('gone', 404)], outcome: 'partial' },
    blocked: { faults: [json(403, '')], outcome: 'blocked' },
    rate: { faults: [json(429, '')], outcome: 'rate_limit' },
  },
};

/** What a text says of a case, in the languages that the toolsets speak. */
const SAYS: Record<Case, Record<'en' | 'ja', RegExp>> = {
  ok: { en: /tides|river/i, ja: /tides|river/i },
  empty: {
    en: /No results|No instant answer|Nothing known|Found 0 search|"(sources|results)":\[\](?!.*"warnings")/,
    ja: /見つかりませんでした/,
  },
  degraded: {
    en: /could not be read|degraded|no content|no text|little/i,
    ja: /検索結果を読み取れませんでした|本文をほとんど/,
  },
  partial: { en: /Page 2 of|Failed|failed_urls/, ja: /一部のみ|失敗したURL/ },
  blocked: { en: /robots|HTTP 403/, ja: /ロボット確認|拒否されました/ },
  quota: { en: /has nothing left on this key/, ja: /利用枠を使い切りました/ },
  rate: { en: /fewer requests|HTTP 429/, ja: /レート制限に達しました/ },
  auth: { en: /did not accept the key/, ja: /認証に失敗しました/ },
  timeout: { en: /took too long/, ja: /タイムアウトしました/ },
  malformed: { en: /JSON that is cut off or broken/, ja: /応答を読み取れませんでした/ },
};

/** What reports of several searches and walks through a site say instead. */
const REPORTS_SAY: Partial<Record<Subject['kind'], Partial<Record<Case, RegExp>>>> = {
  research: {
    empty: /Nothing could be found that answers the question/,
    degraded: /The results could not be read/,
    quota: /its quota is used up/,
    auth: /it refused the key/,
    malformed: /fell back from tavily to duckduckgo: it failed/,
  },
  walk: { degraded: /a\.example|no text|no content|little|nothing/i, partial: /Not read:\n- \S+: .*404/ },
};

const FAILURES = new Set<Case>(['blocked', 'quota', 'rate', 'auth', 'timeout', 'malformed']);

interface Subject {
  toolset: Toolset;
  tool: Tool;
  kind: 'search' | 'read' | 'research' | 'walk';
  input: Record<string, unknown>;
}

/** How a tool is called, from its schema. */
function subjectsOf(toolset: Toolset, tool: Tool): Subject[] {
  const { properties } = toInputSchema(tool.input);
  const has = (name: string): boolean => Object.hasOwn(properties, name);
  if (tool.asksModel === true)
    return [{ toolset, tool, kind: 'research', input: has('input') ? { input: '' } : { query: '' } }];
  if (has('max_depth')) return [{ toolset, tool, kind: 'walk', input: { url: 0, limit: 3 } }];
  const search: Subject = { toolset, tool, kind: 'search', input: { query: 'tides' } };
  const address = ['url', 'id'].find(has);
  const read: Subject = { toolset, tool, kind: 'read', input: { [address ?? 'urls']: 0 } };
  if (has('action'))
    return [search, read].map((one) => ({
      ...one,
      input: { ...one.input, action: one.kind === 'read' ? 'extract' : 'search' },
    }));
  if (address !== undefined || has('urls')) return [read];
  return has('query') ? [search] : [];
}

const SUBJECTS = toolsets.flatMap((toolset) => toolset.tools.flatMap((tool) => subjectsOf(toolset, tool)));

let sim: Sim;
let searching: ToolsetWorld;
/** Pages are watched by a clock that must be real; nothing is waited for. */
let reading: ToolsetWorld;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  searching = openToolsets(sim, { tavily: 'tvly-works' });
  const flags = { 'search.retries': 0 };
  reading = openToolsets(sim, { tavily: 'tvly-works', flags, clock: createRealTime() });
});
/** Forgets faults and requests, and whatever keys and breakers remember. */
const startAfresh = (): void => {
  sim.reset();
  for (const world of [searching, reading]) world.clock.advance(24 * 3_600_000);
};
beforeEach(startAfresh);
afterAll(async () => {
  await Promise.all([searching.close(), reading.close()]);
  await sim.close();
});

/** The upstream that was asked last. */
const lastAsked = (): string =>
  Object.keys(UPSTREAMS).find((path) => sim.requests.at(-1)?.url.pathname.startsWith(path)) ?? 'nobody';

async function play({ toolset, tool, kind, input }: Subject, one: Case) {
  const urls = PAGES.map((path) => `${sim.url}${path}`);
  const query = one === 'empty' ? 'noresult' : 'tides';
  const filled = {
    ...input,
    ...(kind === 'search' ? { query } : {}),
    ...(kind === 'research' ? { ['input' in input ? 'input' : 'query']: query } : {}),
    ...(kind === 'read' || kind === 'walk' ? addressed(input, urls) : {}),
  };
  return (kind === 'search' ? searching : reading).call(toolset.id, tool.name, filled);
}

const addressed = (input: object, urls: string[]): object =>
  'urls' in input ? { urls } : 'id' in input ? { id: urls[0] } : { url: urls[0] };

const owns = new Map<Subject, string>();
/** The upstream that a tool asks when all goes well. */
async function ownOf(subject: Subject): Promise<string> {
  const known = owns.get(subject);
  if (known !== undefined) return known;
  await play(subject, 'ok');
  owns.set(subject, lastAsked());
  return lastAsked();
}

test('every tool is in this table', () => {
  for (const { tools } of toolsets)
    for (const tool of tools) expect(SUBJECTS.map((subject) => subject.tool)).toContain(tool);
});

describe.each(
  SUBJECTS.map(
    (subject) => [`${subject.toolset.id} ${subject.tool.name} (${subject.kind})`, subject] as const,
  ),
)('%s', (_name, subject) => {
  const language = subject.toolset.language ?? 'en';

  test.each(CASES)('%s', async (one) => {
    const own = await ownOf(subject);
    const isImpossible =
      UPSTREAMS[own]?.[one] === undefined ||
      (one === 'partial' && subject.kind === 'read' && !('urls' in subject.input)) ||
      (one === 'degraded' && subject.tool.name === 'tavily_map');
    if (isImpossible) return;
    startAfresh();
    // Nobody else can help: every upstream is in the same way, as it expresses it.
    for (const [path, cases] of Object.entries(UPSTREAMS)) {
      const faults = cases[one]?.faults ?? [];
      sim.script(
        path,
        subject.kind === 'research' ? faults.map((fault) => ({ ...fault, times: 'always' })) : faults,
      );
    }

    const result = await play(subject, one);
    // Where the last one who was asked cannot be in that way, it stood in, and the text says for whom.
    const decided = UPSTREAMS[lastAsked()]?.[one];
    // Without a single search that could be read there is no report.
    const isLost = subject.kind === 'research' && one === 'degraded';
    expect(result.meta?.['outcome']).toBe(isLost ? 'failed' : (decided?.outcome ?? 'ok'));
    expect(result.isError === true).toBe(isLost || (decided !== undefined && FAILURES.has(one)));
    const says = (name: Case): RegExp => REPORTS_SAY[subject.kind]?.[name] ?? SAYS[name][language];
    expect(result.text).toMatch(says(one));
    for (const other of CASES.filter((name) => name !== one && name !== 'ok' && !isAlike(one, name)))
      expect([other, says(other).test(result.text)]).toEqual([other, false]);
  });
});

/** Words that two cases share: a page that is blocked or not there is one of the pages that failed. */
const isAlike = (one: Case, other: Case): boolean =>
  other === 'partial' ||
  (one === 'partial' && (other === 'blocked' || other === 'degraded')) ||
  (one === 'rate' && other === 'blocked');
