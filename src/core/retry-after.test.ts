import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);
const SERVER = 'Thu, 01 Jan 2026 13:00:00 GMT';

test.each([
  ['2', 2_000],
  ['0', 0],
  [' 86400 ', 86_400_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
  ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ['Thursday, 01-Jan-26 00:00:05 GMT', 5_000],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  ['99999999999999999999', undefined],
  ['Thu, 99 Foo 2026 00:00:05 GMT', undefined],
])('F27: Retry-After %j means %j ms', (value, expected) => {
  expect(retryAfterMs({ 'retry-after': value }, NOW)).toBe(expected);
});

test("F27: a date is read against the server's own clock when it says what time it has", () => {
  const headers = { 'retry-after': 'Thu, 01 Jan 2026 13:00:07 GMT', date: SERVER };
  expect(retryAfterMs(headers, NOW)).toBe(7_000);
});

test('F27: a date without any clock to read it against is no wait', () => {
  expect(retryAfterMs({ 'retry-after': SERVER })).toBeUndefined();
  expect(retryAfterMs({}, NOW)).toBeUndefined();
});
