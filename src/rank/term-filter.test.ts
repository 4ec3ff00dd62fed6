import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTermFilter } from './term-filter.ts';
import { tokenise } from './tokenise.ts';

test('a filter never hides a term that it was made for', () => {
  const words = fc.oneof(
    fc.lorem({ maxCount: 3 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      'readFileSync',
      'max_results',
      'V1.2.3',
      '1,000',
      "user's",
      'ies',
      'Ärger',
      'ПРИВЕТ',
      '梅雨',
      'C++',
      'IPv6',
    ),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 8 }), (list) => {
      const text = list.join(' ');
      const all = tokenise(text);
      for (const term of all) expect(tokenise(text, createTermFilter([term]))).toContain(term);
    }),
    { numRuns: 300 },
  );
});

test('a filter passes most other words over', () => {
  const text = 'The river feeds the canal and the headgate measures how much water it takes';
  expect(tokenise(text, createTermFilter(tokenise('canal')))).toEqual(['canal']);
});
