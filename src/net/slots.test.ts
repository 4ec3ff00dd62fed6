import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

const signal = new AbortController().signal;

test('at most so many at a time per key, in order; other keys are free', async () => {
  const slots = createSlots({ max: 2, queueMax: 10 });
  const order: string[] = [];
  const take = (name: string, key = 'a') =>
    slots.take(key, signal).then((release) => {
      order.push(name);
      return release;
    });
  const [first, second] = await Promise.all([take('1'), take('2')]);
  const third = take('3');
  const fourth = take('4');
  await take('other', 'b');
  expect(order).toEqual(['1', '2', 'other']);
  second();
  second();
  await third;
  expect(order).toEqual(['1', '2', 'other', '3']);
  first();
  await fourth;
  expect(order.at(-1)).toBe('4');
});

test('who leaves the queue is skipped, and the queue is bounded', async () => {
  const slots = createSlots({ max: 1, queueMax: 1 });
  const release = await slots.take('a', signal);
  const controller = new AbortController();
  const leaving = slots.take('a', controller.signal);
  await expect(slots.take('a', signal)).rejects.toMatchObject({ code: 'rate_limited' });
  controller.abort();
  await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
  const next = slots.take('a', signal);
  release();
  (await next)();
  await expect(slots.take('a', AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
});
