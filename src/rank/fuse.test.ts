import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Source } from '../core/source.ts';
import { canonicalUrl } from '../core/url.ts';
import { fuse } from './fuse.ts';

const source = (url: string, provider: string, more: Partial<Source> = {}): Source => ({
  url,
  title: url,
  snippet: '',
  score: 0,
  provider,
  trust: 'untrusted_web',
  ...more,
});

const lists = fc
  .array(
    fc.record({
      provider: fc.constantFrom('tavily', 'brave', 'duckduckgo'),
      urls: fc.array(
        fc.constantFrom(
          'https://a.test/',
          'http://www.a.test',
          'https://b.test/x?utm_source=y',
          'https://b.test/x',
          'https://c.test/#top',
          'not a url',
        ),
      ),
    }),
    { maxLength: 4 },
  )
  .map((all) => all.map(({ provider, urls }) => urls.map((url) => source(url, provider))));

describe('fuse', () => {
  test('no page is there twice and none is lost', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const keys = fuse(given).map(({ url }) => canonicalUrl(url));
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(keys)).toEqual(new Set(given.flat().map(({ url }) => canonicalUrl(url))));
      }),
    );
  });

  test('scores fall from 1 and everybody who found a page is named', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const fused = fuse(given);
        const scores = fused.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(scores[0] ?? 1).toBe(1);
        for (const { url, foundBy } of fused) {
          const finders = given.flat().filter((other) => canonicalUrl(other.url) === canonicalUrl(url));
          expect(new Set(foundBy)).toEqual(new Set(finders.map(({ provider }) => provider)));
        }
      }),
    );
  });

  test('a page that two providers found beats the first place of one', () => {
    const fused = fuse([
      [source('https://one.test/', 'a'), source('https://both.test/', 'a')],
      [
        source('https://two.test/', 'b'),
        source('https://both.test', 'b', { snippet: 'longer', content: 'text' }),
      ],
    ]);
    expect(fused[0]).toMatchObject({
      url: 'https://both.test/',
      snippet: 'longer',
      content: 'text',
      foundBy: ['a', 'b'],
      provider: 'a',
    });
  });

  test('a list that repeats a page votes once', () => {
    const fused = fuse([
      [
        source('https://x.test/', 'a'),
        source('https://y.test/', 'a'),
        source('https://www.y.test/', 'a'),
        source('http://y.test/', 'a'),
      ],
    ]);
    expect(fused.map(({ url }) => url)).toEqual(['https://x.test/', 'https://y.test/']);
  });
});
