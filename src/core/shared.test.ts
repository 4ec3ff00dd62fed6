import { expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { createMemoryShared, createNames, SHARED_LIMITS } from './shared.ts';

const setup = () => {
  const clock = createTestClock();
  const shared = createMemoryShared({ clock });
  const taken = async (requests: number, perMs = 60_000) =>
    (await shared.take('a', { requests, perMs })) === undefined;
  return { clock, shared, taken };
};

test('a minute of calls may come at once, and the next ones when the first are a minute old', async () => {
  const { clock, shared, taken } = setup();
  for (let call = 0; call < 6; call += 1) expect(await taken(6)).toBe(true);
  expect(await taken(6)).toBe(false);
  clock.advance(59_000);
  expect(await shared.take('a', { requests: 6, perMs: 60_000 })).toEqual({ retryAfterMs: 1_000 });
  clock.advance(1_000);
  expect(await taken(6)).toBe(true);
});

test('no window ever holds more than the limit, and a busy name is served almost all of it', async () => {
  const { clock, taken } = setup();
  const served: number[] = [];
  for (let at = 0; at < 300_000; at += 170) {
    if (await taken(200)) served.push(at);
    clock.advance(170);
  }
  for (const [index, at] of served.entries()) {
    const inWindow = served.slice(index).findIndex((other) => other >= at + 60_000);
    expect(inWindow === -1 ? served.length - index : inWindow).toBeLessThanOrEqual(200);
  }
  expect(served.length).toBeGreaterThanOrEqual(4.95 * 200);
});

test('asking whether one would be admitted takes nothing', async () => {
  const { shared, taken } = setup();
  for (let call = 0; call < 5; call += 1)
    expect(await shared.take('a', { requests: 1, perMs: 60_000 }, true)).toBeUndefined();
  expect(await taken(1)).toBe(true);
  expect(await shared.take('a', { requests: 1, perMs: 60_000 }, true)).toEqual({ retryAfterMs: 60_000 });
});

test('names are dropped in order of use when there are too many', () => {
  const names = createNames<number>();
  for (let name = 0; name < SHARED_LIMITS.namesMax; name += 1) names.set(String(name), name);
  names.set('0', 0);
  names.set('one more', 1);
  expect([names.get('0'), names.get('1')]).toEqual([0, undefined]);
});
