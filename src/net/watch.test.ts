import { expect, test } from 'vitest';
import { createManualClock } from '../../tests/support/clock.ts';
import { createWatch } from './watch.ts';

const setup = (totalMs = 30_000) => {
  const clock = createManualClock(0);
  const caller = new AbortController();
  const watch = createWatch({ clock, caller: caller.signal, totalMs });
  const reason = () => (watch.signal.reason as Error | undefined)?.message;
  return { clock, caller, watch, reason };
};

test('F51: a phase that takes too long ends everything and says which it was', async () => {
  const { clock, watch, reason } = setup();
  watch.phase(5_000, 'accept a connection');
  await clock.advance(4_999);
  expect(watch.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(reason()).toBe('The site did not accept a connection within 5 s.');
});

test('F51: a new phase has its own time, also when it is shorter', async () => {
  const { clock, watch, reason } = setup();
  watch.phase(20_000, 'accept a connection');
  await clock.advance(1_000);
  watch.phase(2_000, 'begin to answer');
  await clock.advance(2_000);
  expect(reason()).toBe('The site did not begin to answer within 2 s.');
});

test('F51: progress keeps a phase alive, but never beyond the total', async () => {
  const { clock, watch, reason } = setup();
  watch.phase(10_000, 'send more of its page');
  for (let second = 0; second < 29; second += 1) {
    await clock.advance(1_000);
    watch.progress();
  }
  expect(watch.signal.aborted).toBe(false);
  await clock.advance(1_000);
  expect(reason()).toBe('The site did not answer completely within 30 s.');
});

test("the caller's cancellation passes through, and the end leaves nothing behind", async () => {
  const first = setup();
  first.caller.abort();
  expect(first.watch.signal.reason).toMatchObject({ code: 'cancelled' });
  const second = setup();
  second.watch.end();
  await second.clock.advance(0);
  expect(second.clock.sleepers).toBe(0);
  expect(setup().clock.sleepers).toBe(1);
});

test.each([-300_000, 3_652 * 86_400_000])(
  'a clock that is set by %d ms neither ends a fetch nor prolongs it',
  async (ms) => {
    const clock = createManualClock(0);
    let offset = 0;
    const now = () => clock.now() + offset;
    const { signal } = createWatch({
      clock: { ...clock, now },
      caller: new AbortController().signal,
      totalMs: 10_000,
    });
    await clock.advance(4_000);
    offset = ms;
    await clock.advance(5_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  },
);
