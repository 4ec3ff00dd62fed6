import { expect, test } from 'vitest';
import { hashPassword, isPassword, PASSWORD_COST } from './password.ts';

test('a password is kept as scrypt with its costs and a salt of its own, and recognised whichever keyboard typed it', async () => {
  const kept = await hashPassword('Ünïcode passwörd', PASSWORD_COST);
  expect(kept).toMatch(/^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await isPassword('Ünïcode passwörd'.normalize('NFD'), kept, PASSWORD_COST)).toBe(true);
});

test('another password, no password and no person are not it', async () => {
  const kept = await hashPassword('a long password', 1_024);
  expect(await hashPassword('a long password', 1_024)).not.toBe(kept);
  expect(await isPassword('a long passwore', kept, 1_024)).toBe(false);
  expect(await isPassword('', kept, 1_024)).toBe(false);
  expect(await isPassword('a long password', undefined, 1_024)).toBe(false);
});
