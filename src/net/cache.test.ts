import { expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { createCache } from './cache.ts';

const setup = (options: { entriesMax?: number; bytesMax?: number; ttlMs?: number } = {}) => {
  const clock = createTestClock(0);
  return {
    clock,
    cache: createCache<string>({ clock, entriesMax: 3, bytesMax: 100, ttlMs: 1_000, ...options }),
  };
};

test('gives back what was put in, until it is too old', () => {
  const { clock, cache } = setup();
  cache.set('a', 'value', 10);
  clock.advance(999);
  expect(cache.get('a')).toBe('value');
  clock.advance(1);
  expect(cache.get('a')).toBeUndefined();
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

test('the longest unused entry goes first', () => {
  const { cache } = setup();
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 1);
  cache.get('a');
  cache.set('d', 'd', 1);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
});

test('the bytes are bounded, and an entry that can never fit is not kept', () => {
  const { cache } = setup();
  cache.set('a', 'a', 60);
  cache.set('b', 'b', 60);
  expect(cache.get('a')).toBeUndefined();
  cache.set('huge', 'huge', 101);
  expect(cache.get('huge')).toBeUndefined();
  expect([cache.size, cache.bytes]).toEqual([1, 60]);
  cache.set('b', 'smaller', 5);
  expect(cache.bytes).toBe(5);
  cache.delete('b');
  cache.delete('b');
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});
