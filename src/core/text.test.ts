import { describe, expect, test } from 'vitest';
import { cleanText, oneLine, unbrokenLine } from './text.ts';

describe('text that is safe to print', () => {
  test.each([
    ['plain, with\ttabs and\nlines', 'plain, with\ttabs and\nlines'],
    ['Windows\r\nand old\rlines', 'Windows\nand old\nlines'],
    ['Unicode\u2028and its\u2029lines', 'Unicode\nand its\nlines'],
    ['a\u0000b\u0007c\u009Bd', 'abcd'],
    ['zero\u200Bwidth\uFEFF and soft\u00ADhyphen', 'zerowidth and softhyphen'],
    ['turned \u202Earound\u202C', 'turned around'],
    ['tags\u{E0041}\u{E0042} and selectors\u{E0101}', 'tags and selectors'],
    ['half\uD83D of a character\uDE00', 'half of a character'],
    ['日本語, émigré, emoji 😀 and family 👩\u200D👧', '日本語, émigré, emoji 😀 and family 👩\u200D👧'],
  ])('%j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  test('one look tells whether a text needs cleaning: every character comes out as it does beside one that always needs the long way', () => {
    const texts = Array.from({ length: 0x1_0000 }, (_, code) => `a${String.fromCharCode(code)}b`);
    expect(texts.filter((text) => `${cleanText(text)}😀` !== cleanText(`${text}😀`))).toEqual([]);
  });

  test.each([
    ['東京\u3000天気', '東京\u3000天気'],
    ['\u3000字下げ\u00A0と  二つ', '\u3000字下げ\u00A0と  二つ'],
    [' two \r\n\t lines\u2028more ', 'two lines more'],
    ['\u3000 \n', ''],
  ])('a line keeps its white space: %j', (text, line) => {
    expect(unbrokenLine(text)).toBe(line);
  });

  test('on one line', () => {
    expect(oneLine('  two\n\n lines\u200B ')).toBe('two lines');
  });
});
