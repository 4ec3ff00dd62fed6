import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INTENTS } from '../../core/query.ts';
import { routeTopic } from './topic.ts';

describe('sure patterns', () => {
  test.each([
    ['what is CVE-2021-44228', 'security', 'vulnerability'],
    ['GHSA-jfh8-c2jp-5v3q fixed?', 'security', 'vulnerability'],
    ['doi 10.1038/s41586-020-2649-2', 'science', 'DOI'],
    ['arXiv 2301.07041', 'science', 'arXiv'],
    ['2301.07041v2', 'science', 'arXiv'],
    ['ISBN 978-0-14-143951-8', 'books', 'ISBN'],
    ["TypeError: Cannot read properties of undefined (reading 'map')", 'programming', 'error'],
    ['error TS2322 type is not assignable', 'programming', 'error'],
    ['rfc 9110', 'programming', 'RFC'],
    ['@modelcontextprotocol/sdk', 'software', 'package'],
    ['npm install left-pad', 'software', 'package'],
  ])('%s is about %s', (query, intent, why) => {
    const routed = routeTopic(query);
    expect(routed.intent).toBe(intent);
    expect(routed.topics).toEqual([{ intent, share: 1, why: expect.stringContaining(why) }]);
  });

  test.each(['site:example.org tides', 'weather today', 'wer hat heute gewonnen', 'match hier soir'])(
    '%s needs the whole web',
    (query) => expect(routeTopic(query).intent).toBe('general'),
  );
});

test.each([
  ['干潮とは', 'ja'],
  ['潮汐能发电', 'zh'],
  ['조력 발전', 'ko'],
  ['приливная энергия', 'ru'],
  ['طاقة المد والجزر', 'ar'],
])('%s is general, with the encyclopaedia of its language', (query, language) => {
  expect(routeTopic(query)).toMatchObject({
    intent: 'general',
    language,
    topics: [{ intent: 'encyclopaedia' }],
  });
});

test.each([
  ['wie funktioniert ein gezeitenkraftwerk', 'de'],
  ['comment fonctionne une usine marémotrice', 'fr'],
  ['cómo funciona la energía de las mareas', 'es'],
  ['tidal power', 'en'],
])('%s is in %s', (query, language) => expect(routeTopic(query).language).toBe(language));

test('a language that is asked for counts', () => {
  expect(routeTopic('tidal power', 'nl').language).toBe('nl');
});

test.each([
  ['python sort a dictionary by value', 'programming'],
  ['open source alternative to slack on linux', 'software'],
  ['randomized controlled trial of semaglutide in patients with obesity', 'medicine'],
  ['survey of graph neural networks for molecules', 'science'],
  ['novels by agatha christie in order', 'books'],
  ['which versions of openssl have the buffer overflow vulnerability', 'security'],
  ['cheap hotels in lisbon near the station', 'general'],
])('the model takes "%s" for %s', (query, intent) => expect(routeTopic(query).intent).toBe(intent));

test('whatever is asked gets shares that are worth a request, the best first', () => {
  for (const query of ['', '   ', '?', 'x'.repeat(10_000), '🦑', '\u0000\u202e', 'a '.repeat(200)]) {
    const { intent, topics } = routeTopic(query);
    expect(INTENTS).toContain(intent);
    for (const { share } of topics) expect(share).toBeGreaterThanOrEqual(0.25);
    expect(topics.map(({ share }) => share)).toEqual(topics.map(({ share }) => share).sort((a, b) => b - a));
  }
});

test('the weights stay within 32 KB', () => {
  expect(readFileSync(join(import.meta.dirname, 'weights.json')).length).toBeLessThanOrEqual(32 * 1024);
});
