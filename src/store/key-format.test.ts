import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOfKey, isKeyHash, keyIdOf, newApiKey } from './key-format.ts';

test('a key names its id, and a typing error anywhere is seen without the database', () => {
  const { id, key } = newApiKey();
  expect(keyIdOf(key)).toBe(id);
  for (let at = 8; at < key.length; at += 1) {
    const other = key[at] === 'x' ? 'y' : 'x';
    const typo = key.slice(0, at) + other + key.slice(at + 1);
    expect(keyIdOf(typo), `position ${at}`).toBeUndefined();
  }
});

test('keys of any random bytes have one shape', () => {
  for (const fill of [0, 255]) {
    expect(newApiKey((size) => Buffer.alloc(size, fill)).key).toMatch(/^hg_live_\w{8}_\w{43}_\w{6}$/);
  }
  const keys = Array.from({ length: 200 }, () => newApiKey(randomBytes).key);
  expect(new Set(keys).size).toBe(200);
});

test('a hash is recognised with its pepper only, and an unknown id never is', () => {
  const { key } = newApiKey();
  const hash = hashOfKey(key, 'pepper');
  expect(isKeyHash(hash, key, 'pepper')).toBe(true);
  expect(isKeyHash(hash, key, '')).toBe(false);
  expect(isKeyHash(hash, newApiKey().key, 'pepper')).toBe(false);
  expect(isKeyHash(undefined, key, 'pepper')).toBe(false);
});
