import { expect, test } from 'vitest';
import { countryCode, countryName } from './countries.ts';

test.each([
  ['IT', 'it'],
  [' it ', 'it'],
  ['Italy', 'it'],
  ['italy', 'it'],
  ['UNITED STATES', 'us'],
  ['U.S.A.', 'us'],
  ['us', 'us'],
  ['UK', 'gb'],
  ['the Netherlands', 'nl'],
  ['Côte d’Ivoire', 'ci'],
  ['Türkiye', 'tr'],
  ['Bosnia & Herzegovina', 'ba'],
  ['Guinea-Bissau', 'gw'],
  ['Atlantis', undefined],
  ['xx', undefined],
  ['', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
])('research spec 5.1: the country %j is %s', (text, expected) => expect(countryCode(text)).toBe(expected));

test('names go back and forth', () => {
  expect(countryName('IT')).toBe('italy');
  expect(countryCode(countryName('kr') ?? '')).toBe('kr');
  expect(countryName('xx')).toBeUndefined();
});
