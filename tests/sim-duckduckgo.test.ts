import { expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../src/core/http.ts';
import type { SearchQuery } from '../src/core/query.ts';
import { HeadgateError } from '../src/core/errors.ts';
import { duckduckgo } from '../src/providers/duckduckgo.ts';
import { instantAnswer } from '../src/providers/instant-answer.ts';
import { duckduckgoAnswerSim, duckduckgoSim } from '../src/sim/duckduckgo.ts';
import type { SimUpstream } from '../src/sim/upstream.ts';

const settings = duckduckgo.settings.parse({});

test('the provider walks through every page of the simulated engine and finds each result once', () => {
  const urls: string[] = [];
  let request = search({ text: 'tidal mills', resultsMax: 30 });
  for (let pages = 0; pages < 5; pages += 1) {
    const page = parse(request, { text: 'tidal mills', resultsMax: 30 }, urls.length);
    urls.push(...page.sources.map((source) => source.url));
    if (page.next === undefined) break;
    request = page.next;
  }
  expect(urls).toHaveLength(27);
  expect(new Set(urls).size).toBe(27);
});

test('a later page without the token, or under another name, is challenged', () => {
  const { next } = parse(search({ text: 'tidal mills', resultsMax: 30 }), { text: 'x', resultsMax: 30 }, 0);
  const renamed = { ...next, headers: { ...next?.headers, 'user-agent': 'other' } } as HttpRequest;
  expect(() => parse(renamed, { text: 'x', resultsMax: 30 }, 10)).toThrow(/check for robots/);
});

test.each([
  ['tidal mills', 'ok'],
  ['xyzzy12345noresult', 'empty'],
  ['sim:lastpage', 'ok'],
  ['sim:blank', 'degraded'],
  ['sim:challenge', 'upstream_blocked'],
  ['sim:challenge200', 'upstream_blocked'],
  ['sim:refused', 'upstream_blocked'],
  ['sim:redirect', 'upstream_bad_answer'],
  ['sim:gone', 'upstream_unavailable'],
  ['sim:busy', 'upstream_rate_limit'],
  ['!w mills', 'ok'],
  ['x'.repeat(500), 'upstream_invalid'],
])('%.20s is %s', (text, expected) => {
  const query = { text, resultsMax: 10 };
  expect(outcomeOf(() => parse(search(query), query, 0).outcome)).toBe(expected);
});

test.each([
  ['tidal mills', 'abstract'],
  ['2+3', 'answer'],
  ['define mill', 'definition'],
  ['!w mill', 'redirect'],
  ['mill disambiguation', 'related'],
])('the instant answer to %s has its %s', (text, field) => {
  expect(answer(text)).toHaveProperty(field);
});

test('the instant answer to an unknown query is none', () => {
  expect(answer('xyzzy12345noresult')).toBeUndefined();
  expect(outcomeOf(() => answer('sim:challenge')?.type ?? '')).toBe('upstream_blocked');
});

function search(query: SearchQuery): HttpRequest {
  const request = duckduckgo.search?.request(query, settings, undefined);
  if (request === undefined) throw new Error('DuckDuckGo searches.');
  return request;
}

function parse(request: HttpRequest, query: SearchQuery, found: number) {
  const response = send(duckduckgoSim, request);
  if (response.status >= 300) throw duckduckgo.fail(response);
  const page = duckduckgo.search?.parse(response, query, settings, found);
  if (page === undefined) throw new Error('DuckDuckGo searches.');
  return page;
}

const answer = (text: string) =>
  instantAnswer.parse(send(duckduckgoAnswerSim, instantAnswer.request(text, settings)));

function send(upstream: SimUpstream, { method, url, headers, body = '' }: HttpRequest): HttpResponse {
  const response = upstream.handle({ method, url: new URL(url), headers, body });
  if (response === undefined) throw new Error(`${upstream.id} does not know ${url}.`);
  return { status: response.status, headers: response.headers ?? {}, body: String(response.body), url };
}

function outcomeOf(run: () => string): string {
  try {
    return run();
  } catch (thrown) {
    return HeadgateError.from(thrown).code;
  }
}
