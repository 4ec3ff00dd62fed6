import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeadgateError } from '../../core/errors.ts';
import { bangsIn, quoteBangs } from '../kit/narrow.ts';
import { readResultsPage, targetOf } from './page.ts';
import { regionFor } from './regions.ts';
import { duckduckgo } from './duckduckgo.ts';

const settings = duckduckgo.settings().parse({});
const parse = (body: string, found = 0) =>
  duckduckgo.search?.parse(
    { status: 200, headers: {}, body, url: '' },
    { text: 'x', resultsMax: 30 },
    settings,
    found,
  );

describe('commands in a query', () => {
  test.each([
    ['!w rust', ['!w']],
    ['rust !w', ['!w']],
    ['rust w!', ['w!']],
    ['!!g rust', ['!!g']],
    ['\\rust book', ['\\rust']],
    ['"!w rust"', []],
    ['say "!w" !g "!x', ['!g']],
    ['Hello world! Yahoo!', []],
    ['a != b', ['!=']],
    ['wow !', []],
    ['x!y', []],
  ])('in %j are %j', (text, expected) => expect(bangsIn(text)).toEqual(expected));

  test('are quoted, and stripped of their sign when quotation marks do not fit', () => {
    expect(quoteBangs('!w rust', 499)).toBe('"!w" rust');
    expect(quoteBangs('!w rust', 7)).toBe('w rust');
  });

  test('never survive outside quotation marks, whatever the query', () => {
    const words = array(constantFrom('!w', 'g!', '"', 'a b', '\\x', ' ', '!!y', 'rust', '!'));
    assert(
      property(words, integer({ min: 1, max: 60 }), (parts, charsMax) => {
        const quoted = quoteBangs(parts.join(' '), charsMax);
        expect(bangsIn(quoted)).toEqual([]);
      }),
    );
  });
});

describe('regions', () => {
  test.each([
    ['de', undefined, 'de-de'],
    ['gb', 'en', 'uk-en'],
    ['sa', 'ar', 'xa-ar'],
    ['si', undefined, 'sl-sl'],
    ['jp', 'ja', 'jp-jp'],
    ['tw', 'zh', 'tw-tzh'],
    ['ca', 'fr', 'ca-fr'],
    ['us', 'es', 'us-es'],
    [undefined, 'ca', 'ct-ca'],
    [undefined, 'en', undefined],
    [undefined, undefined, undefined],
  ])('of country %s in %s is %s', (country, language, expected) => {
    expect(regionFor(country, language).code).toBe(expected);
  });
});

describe('links', () => {
  test.each([
    ['https://a.example/x?y=1#z', 'https://a.example/x?y=1#z'],
    ['//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%2525&rut=1', 'https://a.example/%25'],
    ['https://html.duckduckgo.com/l/?uddg=http%3A%2F%2Fa.example', 'http://a.example/'],
    ['//duckduckgo.com/l/?uddg=javascript%3Aalert(1)', undefined],
    ['//duckduckgo.com/l/?uddg=%2F%2Fduckduckgo.com', undefined],
    [
      '//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fl%2F%3Fuddg%3Dhttps%253A%252F%252Fa.example',
      undefined,
    ],
    [
      'https://notduckduckgo.com/l/?uddg=https%3A%2F%2Fa.example',
      'https://notduckduckgo.com/l/?uddg=https%3A%2F%2Fa.example',
    ],
    ['mailto:a@b.example', undefined],
    ['', 'https://duckduckgo.com/'],
  ])('%j lead to %s', (href, expected) => expect(targetOf(href)).toBe(expected));
});

describe('pages', () => {
  test('of any markup are read without a throw, or thrown as blocked', () => {
    const piece = constantFrom(
      '<div id="links">',
      '<div class="result">',
      '<a class="result__a" href="https://a.example/">',
      '<a class=result__snippet>',
      '</a>',
      '</div>',
      'text &amp; &#0; &#xD800;',
      '<form class=next_form><input type=hidden name=vqd value=1>',
      '</form>',
      '<!--',
      '-->',
      '<div class="no-results">',
      '<div class="anomaly-modal">',
      '<',
      '"',
      '\u0000',
    );
    assert(
      property(array(piece, { maxLength: 40 }), (pieces) => {
        const page = outcomeOf(() => parse(pieces.join('')));
        expect(['ok true', 'empty false', 'degraded false', 'upstream_blocked']).toContain(page);
      }),
      { numRuns: 500 },
    );
  });

  test('nested without end give what stood before', () => {
    const good = '<div class="result"><a class="result__a" href="https://a.example/">A</a></div>';
    const deep = '<div class="result"><a class="result__snippet" href="x">word '.repeat(100_000);
    expect(readResultsPage(good + deep + good).results).toHaveLength(1);
  });

  test('give scores that fall from page to page and stay within 0–1', () => {
    const list = (from: number) =>
      `<div id="links">${Array.from({ length: 10 }, (_, index) => `<div class="result"><a class="result__a" href="https://s${from + index}.example/">t</a></div>`).join('')}</div>`;
    const scores = [0, 10, 20].flatMap(
      (found) => parse(list(found), found)?.sources.map((source) => source.score) ?? [],
    );
    expect(scores).toHaveLength(30);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(scores).size).toBe(30);
    expect(scores[0]).toBe(1);
    expect(scores.at(-1)).toBeGreaterThan(0);
  });
});

/** What became of a page and whether it has sources, or the code of its failure. */
function outcomeOf(run: () => ReturnType<typeof parse>): string {
  try {
    const page = run();
    return `${page?.outcome} ${(page?.sources.length ?? 0) > 0}`;
  } catch (thrown) {
    return HeadgateError.from(thrown).code;
  }
}
