import { expect, test } from 'vitest';
import { createManualClock, createTestClock } from '../core/clock.ts';
import { createPace } from './pace.ts';

const signal = new AbortController().signal;

test('the first turn is free, the next ones come one interval apart', async () => {
  const clock = createTestClock(0);
  const pace = createPace({ clock });
  const turns: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await pace.wait('key', 1_000, signal);
    turns.push(clock.now());
  }
  expect(turns).toEqual([0, 1_000, 2_000]);
});

test('callers that come together are served in order, one interval apart; other keys do not wait', async () => {
  const clock = createManualClock(0);
  const pace = createPace({ clock });
  const turns: string[] = [];
  const wait = (key: string, name: string) =>
    pace.wait(key, 1_000, signal).then(() => turns.push(`${name}@${clock.now()}`));
  const all = [wait('a', 'a1'), wait('a', 'a2'), wait('a', 'a3'), wait('b', 'b1')];
  await clock.advance(5_000);
  await Promise.all(all);
  expect(turns).toEqual(['a1@0', 'b1@0', 'a2@1000', 'a3@2000']);
});

test('a cooldown holds back those who already wait and keeps them apart afterwards', async () => {
  const clock = createManualClock(0);
  const pace = createPace({ clock });
  const turns: number[] = [];
  const wait = () => pace.wait('key', 1_000, signal).then(() => turns.push(clock.now()));
  const all = [wait(), wait(), wait()];
  await clock.advance(500);
  pace.cooldown('key', 10_000);
  expect(pace.availableAt('key')).toBe(10_000);
  await clock.advance(20_000);
  await Promise.all(all);
  expect(turns).toEqual([0, 10_000, 11_000]);
});

test('a shorter cooldown does not end a longer one', () => {
  const clock = createTestClock(0);
  const pace = createPace({ clock });
  pace.cooldown('key', 5_000);
  pace.cooldown('key', 2_000);
  expect(pace.availableAt('key')).toBe(5_000);
  expect(pace.availableAt('other')).toBe(0);
});

test('who goes away while waiting is cancelled and gives the turn back', async () => {
  const clock = createManualClock(0);
  const pace = createPace({ clock });
  await pace.wait('key', 1_000, signal);
  const controller = new AbortController();
  const leaving = pace.wait('key', 1_000, controller.signal);
  controller.abort();
  await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
  expect(pace.availableAt('key')).toBe(1_000);
});

test('the queue is bounded', async () => {
  const clock = createManualClock(0);
  const pace = createPace({ clock });
  const controller = new AbortController();
  const waiting = Array.from({ length: 1_001 }, () =>
    pace.wait('key', 1_000, controller.signal).then(
      () => 'served',
      (thrown: { code: string }) => thrown.code,
    ),
  );
  const refused = await waiting[1_000];
  controller.abort();
  const outcomes = await Promise.all(waiting);
  expect(refused).toBe('rate_limited');
  expect(outcomes.filter((outcome) => outcome === 'cancelled')).toHaveLength(999);
});
