import { expect, test } from 'vitest';
import { createTableWriter, wordsText } from '../../scripts/train/write-table.ts';
import { openTable, readWords } from '../../src/core/table-text.ts';

test('sorted words are read as they were written, however much they share', () => {
  const words = [
    '',
    'a',
    'ab',
    'abc',
    `abc${'d'.repeat(60)}`,
    `abc${'d'.repeat(60)}e`,
    'b-2',
    'z',
    'été',
    'ある',
    'あれ',
  ].sort();
  expect(readWords(wordsText(words))).toEqual(words);
  expect(readWords(wordsText([]))).toEqual([]);
});

test('words that would be read differently are refused when they are written', () => {
  for (const words of [['b', 'a'], ['a', 'a'], ['aB']])
    expect(() => wordsText(words)).toThrow('not in order');
});

test('arrays are read as they were written, one after the other', () => {
  const arrays: [Uint8Array, number][] = [
    [Uint8Array.from({ length: 900 }, (_, index) => (index * index * 31) >> 3), 1],
    [new Uint8Array(40), 4],
    [new Uint8Array(Float32Array.from({ length: 300 }, (_, index) => Math.sin(index)).buffer), 4],
    // Counts that make a code longer than it may be.
    [Uint8Array.from(fibonacci()), 1],
    [new Uint8Array(0), 1],
  ];
  const writer = createTableWriter();
  for (const [array, stride] of arrays) writer.bytes(array, stride);
  const text = writer.text();
  expect(text).toMatch(/^[#-[\]-~]*$/);
  const table = openTable(text);
  for (const [array, stride] of arrays) expect(table.bytes(array.length, stride)).toEqual(array);
});

/** Each byte as often as the two before it together: the most lopsided code there is. */
function fibonacci(): number[] {
  let [one, two] = [1, 1];
  return Array.from({ length: 18 }, (_, byte) => {
    [one, two] = [two, one + two];
    return Array<number>(one).fill(byte);
  }).flat();
}
