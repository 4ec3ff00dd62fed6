import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findQuote, readable } from './quote.ts';

const PAGE =
  'The gate was **built in 1911** by [Marta Ribero](https://x.example/a_(b)).\n\nIt “lets” 12 m³\tper second — always.';

describe('a quote is found only where it stands', () => {
  test('letter by letter, at its offsets', () => {
    expect(findQuote('It “lets” 12 m³', PAGE)).toMatchObject({ match: 'exact' });
    const place = findQuote('It “lets” 12 m³', PAGE);
    expect(PAGE.slice(place?.start, place?.end)).toBe('It “lets” 12 m³');
  });

  test.each([
    ['Markdown marks', 'was built in 1911 by Marta Ribero', '**built in 1911** by [Marta Ribero'],
    ['blanks and line breaks', '12 m³ per   second — always', '12 m³\tper second — always'],
    ['typographic signs', 'it "lets" 12 m³ per second - always', 'It “lets” 12 m³\tper second — always'],
  ])('%s do not hide it', (_name, quote, inside) => {
    const place = findQuote(quote, PAGE);
    expect(PAGE.slice(place?.start, place?.end)).toContain(inside);
  });

  test.each([
    'built in 1912 by Marta Ribero',
    'uilt in 1911 by Marta Rib',
    'built in 1911 and by Marta Ribero',
    'the',
    '',
  ])('what does not stand there is not found: %s', (quote) => {
    expect(findQuote(quote, PAGE)).toBeUndefined();
  });

  test('whatever is cut out of a text is found, and offsets always point at it', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
      minLength: 3,
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.nat(), (list, at) => {
        const text = list.join(' ');
        const start = at % list.length;
        const quote = list
          .slice(start, start + 4)
          .join(' ')
          .trim();
        const place = findQuote(quote, text);
        if (quote.replace(/[^\p{L}\p{N}]/gu, '').length < 8) return;
        expect(place).toBeDefined();
        expect(readable(text.slice(place?.start, place?.end))).toBe(readable(quote));
      }),
    );
  });
});

describe('a stretch of Markdown as a reader sees it', () => {
  test.each([
    ['built in 1911.\\[3\\] It', 'built in 1911.[3] It'],
    ['built in 1911.[^3] It', 'built in 1911. It'],
    ['`read_file(a[0])` **or** *more* and 2 * 3', 'read_file(a[0]) or more and 2 * 3'],
    ['read_file_sync and 5*3 [sic]', 'read_file_sync and 5*3 [sic]'],
    ['\\$5 \\* \\<b\\> \\& \\_x\\_ C:\\dir', '$5 * <b> & _x_ C:\\dir'],
    ['[the [old] gate](https://x.example/a_(b)) ![a wheel](w.png)', 'the [old] gate a wheel'],
    ['3\\. Oktober', '3. Oktober'],
  ])('%s', (text, expected) => {
    expect(readable(text)).toBe(expected);
    const around = `Some words of the page before. ${text} And some words after.`;
    expect(findQuote(`before. ${readable(text)} And`, around)).toBeDefined();
  });
});
