import { expect, test } from 'vitest';
import { duckduckgo } from '../../src/providers/duckduckgo/duckduckgo.ts';
import { instantAnswer } from '../../src/providers/duckduckgo/instant-answer.ts';
import { duckduckgoAnswerSim, duckduckgoSim } from '../../src/sim/duckduckgo.ts';
import { codeOf, playSearch, send } from '../support/play.ts';

const settings = duckduckgo.settings().parse({});
const setting = { provider: duckduckgo, upstream: duckduckgoSim };
const query = { text: 'tidal mills', resultsMax: 30 };

test('the provider walks through every page of the simulated engine and finds each result once', () => {
  const urls = playSearch(setting, query).flatMap((page) => page.sources.map((source) => source.url));
  expect(urls).toHaveLength(27);
  expect(new Set(urls).size).toBe(27);
});

test('a later page under another name is challenged', () => {
  const [first] = playSearch(setting, { ...query, resultsMax: 1 });
  const next = first?.next;
  if (next === undefined) throw new Error('There are more pages.');
  const response = send(setting, { ...next, headers: { ...next.headers, 'user-agent': 'other' } });
  expect(() => duckduckgo.search?.parse(response, query, settings, 10)).toThrow(/check for robots/);
});

test('a challenge on the second page does not take the first one back', () => {
  const [first] = playSearch(setting, { text: 'sim:page2', resultsMax: 10 });
  expect(first?.sources).toHaveLength(10);
  expect(codeOf(() => String(playSearch(setting, { text: 'sim:page2', resultsMax: 30 }).length))).toBe(
    'upstream_blocked',
  );
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
  expect(codeOf(() => playSearch(setting, { text, resultsMax: 10 })[0]?.outcome ?? '')).toBe(expected);
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
  expect(codeOf(() => answer('sim:challenge')?.type ?? '')).toBe('upstream_blocked');
});

const answer = (text: string) =>
  instantAnswer.parse(
    send({ provider: duckduckgo, upstream: duckduckgoAnswerSim }, instantAnswer.request(text, settings)),
  );
