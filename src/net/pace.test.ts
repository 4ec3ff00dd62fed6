import { expect, test } from 'vitest';
import { createManualClock, createTestClock } from '../../tests/support/clock.ts';
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

test('who goes away while waiting is cancelled and gives the turn back', async () => {
  const clock = createManualClock(0);
  const pace = createPace({ clock });
  await pace.wait('key', 1_000, signal);
  const controller = new AbortController();
  const leaving = pace.wait('key', 1_000, controller.signal);
  controller.abort();
  await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
  const next = pace.wait('key', 1_000, signal).then(() => clock.now());
  await clock.advance(5_000);
  expect(await next).toBe(1_000);
});

test('the queue is bounded', async () => {
  const clock = createManualClock(0);
  const pace = createPace({ clock });
  const controller = new AbortController();
  const waiting = Array.from({ length: 1_002 }, () =>
    pace.wait('key', 1_000, controller.signal).then(
      () => 'served',
      (thrown: { code: string }) => thrown.code,
    ),
  );
  const refused = await waiting[1_001];
  controller.abort();
  const outcomes = await Promise.all(waiting);
  expect(refused).toBe('rate_limited');
  expect(outcomes.filter((outcome) => outcome === 'cancelled')).toHaveLength(1_000);
});
