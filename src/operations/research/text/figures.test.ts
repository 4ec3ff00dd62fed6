import { describe, expect, test } from 'vitest';
import { contradiction, figuresOf, indexFigures } from './figures.ts';

describe('figures of a sentence', () => {
  test.each([
    ['It was built in 1911 by hand.', [{ kind: 'date', value: 1911 }]],
    ['It serves 1,250 farms.', [{ kind: 'number', value: 1250, unit: 'farm' }]],
    ['It would cost 24 million euros.', [{ value: 24e6, unit: 'euro' }]],
    ['It is 42 kilometres long.', [{ value: 42, unit: 'km', aspect: 'long' }]],
    ['It carries 12 cubic metres per second.', [{ value: 12, unit: 'cubic m per second' }]],
    ['About 20 percent is lost.', [{ value: 20, unit: '%' }]],
    ['The A380 and version v2.4 have no figures.', []],
  ])('%s', (sentence, expected) => {
    expect(figuresOf(sentence)).toHaveLength(expected.length);
    expect(figuresOf(sentence)).toMatchObject(expected);
  });

  const between = (a: string, b: string) =>
    contradiction(indexFigures(figuresOf(a)), indexFigures(figuresOf(b)))?.map(({ value }) => value);

  test.each([
    ['another year', 'Built in 1911.', 'Built in 1908.', [1911, 1908]],
    ['another length', 'It is 42 kilometres long.', 'It is 47 km long.', [42, 47]],
    ['the same in other words', 'It lost 20 percent.', 'It lost 20%.', undefined],
    ['rounded', 'It costs 24 million euros.', 'It costs 24.1 million euros.', undefined],
    ['other units', 'It is 42 km long.', 'It serves 47 farms.', undefined],
    ['a range of years', 'Built from 1908 to 1911.', 'Built in 1911.', undefined],
  ])('%s', (_name, a, b, expected) => {
    expect(between(a, b)).toEqual(expected);
  });
});
