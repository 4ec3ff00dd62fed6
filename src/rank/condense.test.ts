import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { condenseQuery } from './condense.ts';

const filler = 'please tell me what you can find about this and how it would be of help to us ';

describe('condenseQuery', () => {
  test('a query that fits is left alone', () => {
    expect(condenseQuery('  what is new in Node 24? ', { charsMax: 400 })).toEqual({
      text: 'what is new in Node 24?',
      condensed: false,
    });
  });

  test('quoted phrases, names, numbers, operators and rare terms stay, in their order', () => {
    const query = `${filler}"exact phrase here" ${filler}Kubernetes ${filler}site:example.com quicksort ${filler}1.29 readFileSync`;
    const { text, condensed } = condenseQuery(query, { charsMax: 90 });
    expect(condensed).toBe(true);
    expect(text.length).toBeLessThanOrEqual(90);
    const kept = [
      '"exact phrase here"',
      'Kubernetes',
      'site:example.com',
      'quicksort',
      '1.29',
      'readFileSync',
    ];
    const places = kept.map((word) => text.indexOf(word));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('the limit of words is kept as well: Brave takes 50', () => {
    const { text } = condenseQuery(
      'one two three '.repeat(40) + Array.from({ length: 80 }, (_, at) => `term${at}`).join(' '),
      {
        charsMax: 400,
        wordsMax: 50,
      },
    );
    expect(text.split(' ').length).toBeLessThanOrEqual(50);
    expect(text.length).toBeLessThanOrEqual(400);
  });

  test('Japanese loses particles before content', () => {
    const query = `${'これについてはどうでしょうか、教えてください。'.repeat(3)}東京タワーの高さ`;
    const { text } = condenseQuery(query, { charsMax: 20 });
    expect(text).toContain('東京タワー');
    expect(text).not.toContain(' ');
  });

  test('the result always fits, is well formed and the same every time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 600 }),
        fc.integer({ min: 8, max: 120 }),
        (text, charsMax) => {
          const first = condenseQuery(text, { charsMax, wordsMax: 12 });
          expect(first.text.length).toBeLessThanOrEqual(charsMax);
          expect(Buffer.from(first.text).toString()).toBe(first.text);
          expect(first.text === '').toBe(text.trim() === '');
          expect(condenseQuery(text, { charsMax, wordsMax: 12 })).toEqual(first);
        },
      ),
    );
  });
});
