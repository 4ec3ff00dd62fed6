import { expect, test } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { createMemoryShared, type Shared } from '../../core/shared.ts';
import type { KeyHolder, Keys } from '../../store/keys.ts';
import { createIdentify } from './identify.ts';

const GOOD = 'hg_live_good';

function gateway() {
  const clock = createTestClock();
  let reads = 0;
  const keys = {
    any: async () => true,
    authenticate: async (key: string) => {
      reads += 1;
      if (key !== GOOD) throw new HeadgateError('unauthenticated', 'The API key is not valid.');
      return {
        id: 'good',
        workspace: 'w',
        agent: null,
        scopes: ['search'],
        networks: [],
      } as unknown as KeyHolder;
    },
  } as Partial<Keys> as Keys;
  const shared = createMemoryShared({ clock });
  const requests = { requests: 100_000, perMs: 60_000 };
  const identify = createIdentify({ keys, clock, shared, requests, keyless: 'never' });
  const code = (key: string, address: string): Promise<string> =>
    identify(key, address).then(
      () => 'ok',
      (thrown: unknown) => HeadgateError.from(thrown).code,
    );
  return { clock, code, reads: () => reads };
}

test('F62: of 10,000 guesses from one address the store sees few, and a neighbour with a good key is served', async () => {
  const { code, reads, clock } = gateway();
  expect(await code(GOOD, 'office')).toBe('ok');
  const answers = new Map<string, number>();
  for (let guess = 0; guess < 10_000; guess += 1) {
    const answer = await code(`guess ${guess}`, 'office');
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    clock.advance(1);
  }
  expect(answers.get('unauthenticated')).toBeLessThan(LIMITS.keyGuessesPerMinute + 5);
  expect(answers.get('rate_limited')).toBeGreaterThan(9_900);
  expect(reads()).toBeLessThan(30);
  expect(await code(GOOD, 'office')).toBe('ok');
  expect(await code(GOOD, 'home')).toBe('ok');
});

test('F62: after a crash of the server, when limits count as full, a valid key is served', async () => {
  const clock = createTestClock();
  const keys = {
    any: async () => true,
    authenticate: async () =>
      ({ id: 'good', workspace: 'w', agent: null, scopes: ['search'], networks: [] }) as unknown as KeyHolder,
  } as Partial<Keys> as Keys;
  const shared: Pick<Shared, 'take'> = {
    take: async (name, { forgets }) =>
      name.startsWith('guess ') && forgets !== true ? { retryAfterMs: 60_000 } : undefined,
  };
  const requests = { requests: 100, perMs: 60_000 };
  const identify = createIdentify({ keys, clock, shared, requests, keyless: 'never' });
  expect((await identify(GOOD, 'office')).caller.key).toBe('good');
});

test('F62: an address that stops guessing is heard again', async () => {
  const { code, clock } = gateway();
  for (let guess = 0; guess < 50; guess += 1) await code(`guess ${guess}`, 'office');
  expect(await code('hg_live_new', 'office')).toBe('rate_limited');
  clock.advance(60_000);
  expect(await code('hg_live_new', 'office')).toBe('unauthenticated');
});

test('F62: a key that another process revoked is refused within a second, one revoked here at once', async () => {
  const clock = createTestClock();
  let isRevoked = false;
  const keys = {
    any: async () => true,
    authenticate: async () => {
      if (isRevoked) throw new HeadgateError('unauthenticated', 'The API key is not valid.');
      return {
        id: 'good',
        workspace: 'w',
        agent: null,
        scopes: ['search'],
        networks: [],
      } as unknown as KeyHolder;
    },
  } as Partial<Keys> as Keys;
  const shared = createMemoryShared({ clock });
  const requests = { requests: 1_000, perMs: 60_000 };
  const identify = createIdentify({ keys, clock, shared, requests, keyless: 'never' });
  await identify(GOOD, 'a');
  isRevoked = true;
  clock.advance(999);
  await expect(identify(GOOD, 'a')).resolves.toBeDefined();
  clock.advance(1);
  await expect(identify(GOOD, 'a')).rejects.toThrow('not valid');
  isRevoked = false;
  await identify(GOOD, 'a');
  isRevoked = true;
  identify.forget();
  await expect(identify(GOOD, 'a')).rejects.toThrow('not valid');
});
