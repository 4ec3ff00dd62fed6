import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { bundled } from '../support/bundled.ts';
import { sized, testSize } from '../support/sized.ts';
import { type CallStep, type History, makeHistory } from '../support/simulation/history.ts';
import { play } from '../support/simulation/play.ts';
import { simulateInProcesses } from '../support/simulation/simulate-in-processes.ts';
import { simulate, type Found } from '../support/simulation/simulate.ts';

const HISTORIES = sized('simulated histories', { small: 60, large: 20_000, full: 1_000_000 });

/** What to look at first when a history shows something. */
const report = ({ seed, violations, smallest }: Found): string =>
  `npm run simulate -- --seed ${seed} --histories 1\n${violations.join('\n')}\n${JSON.stringify(smallest)}`;

/** A million histories are worth every core; a run with other tests beside it has none to spare. */
async function simulateAll() {
  const options = { seed: 1, histories: HISTORIES };
  if (testSize() !== 'full') return simulate(options);
  const { file, dispose } = await bundled(resolve(import.meta.dirname, '../support/simulation/run.ts'));
  try {
    return await simulateInProcesses({ ...options, program: file, processes: availableParallelism() });
  } finally {
    dispose();
  }
}

test('every history of calls, cancels, crashes, faults and lies ends in sound books', async () => {
  const { found, histories, counts } = await simulateAll();
  expect(found.map(report).join('\n\n')).toBe('');
  expect(histories).toBe(HISTORIES);
  // What is simulated has really happened.
  const happened = ['delivered', 'cancelled', 'limit_reached', 'storage_unavailable', 'in_progress'];
  expect(Object.keys(counts)).toEqual(expect.arrayContaining(happened));
}, 10_800_000);

test('a seed is one history: played twice, it ends in the same books', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const [one, other] = [await play(makeHistory(seed)), await play(makeHistory(seed))];
    const booksOf = ({ disk }: typeof one) => [...disk.holds().values()].map((hold) => ({ ...hold, id: '' }));
    expect(booksOf(one)).toEqual(booksOf(other));
    expect(one.counts).toEqual(other.counts);
  }
});

const HOUR = 3_600_000;
const call = (at: number, replyMs = 300): CallStep => ({
  kind: 'call',
  at,
  gateway: 0,
  account: 0,
  workspace: 0,
  who: 0,
  question: at,
  operation: 'search',
  depth: 'basic',
  chain: 'priced',
  key: null,
  creditsMax: null,
  timeoutMs: 60_000,
  cancel: null,
  replies: [{ kind: 'answer', delayMs: replyMs, status: 200, credits: 1 }],
  freeReply: { kind: 'answer', delayMs: replyMs, status: 200, credits: 0 },
});
const history = (steps: History['steps'], callsFree = 1): History => ({
  seed: 1,
  minute: 58,
  gateways: 1,
  accounts: [{ isLocal: false, tier: { callsFree, beyond: 'block', creditsMax: null }, credits: 5 }],
  steps,
  fates: [],
});

test('an answer to a request that the operator has closed is not delivered, and charged to nobody', async () => {
  const { violations, counts, disk } = await play(
    history([
      call(5_000, 29_000),
      { kind: 'clock', at: 9_000, ms: 23 * HOUR },
      { kind: 'operator', at: 30_500, verdict: 'not_billed' },
      { kind: 'operator', at: 32_500, verdict: 'not_billed' },
    ]),
  );
  expect(violations).toEqual([]);
  expect(counts).toEqual({ deadline_exceeded: 1 });
  expect([...disk.holds().values()].map(({ state, verdict }) => [state, verdict])).toEqual([
    ['doubt', 'not_billed'],
  ]);
});

test('a clock that was set back when nothing was booked and nobody was running is believed when it is set forward', async () => {
  const { violations, counts } = await play(
    history([
      { kind: 'clock', at: 11 * HOUR, ms: -23.5 * HOUR },
      { kind: 'crash', at: 11 * HOUR + 1, gateway: 0, ticks: 5, downMs: 600_000 },
      call(23.5 * HOUR),
      { kind: 'clock', at: 31 * HOUR, ms: 23.5 * HOUR },
      call(45.5 * HOUR),
    ]),
  );
  expect(violations).toEqual([]);
  // The last one asks a window later, whether anybody is still refused.
  expect(counts).toEqual({ delivered: 3 });
});

test('a clock that is set back while a gateway runs, and then right again, lets nobody call more often', async () => {
  const { violations, counts } = await play(
    history([
      call(1_000),
      { kind: 'clock', at: 2 * HOUR, ms: -23.5 * HOUR },
      { kind: 'clock', at: 3 * HOUR, ms: 23.5 * HOUR },
      call(23 * HOUR),
    ]),
  );
  expect(violations).toEqual([]);
  expect(counts).toEqual({ delivered: 2, limit_reached: 1 });
});

test('a refusal while the clock is ahead does not forget what a budget has used', async () => {
  const advanced: Partial<CallStep> = { depth: 'advanced', question: 5 };
  const { violations, counts } = await play({
    ...history(
      [
        { ...call(1, 5), ...advanced },
        { kind: 'budget', at: 204_274, budget: 0, amount: 1 },
        { kind: 'clock', at: 303_157, ms: 26 * HOUR },
        { ...call(360_011, 40), ...advanced },
        { kind: 'clock', at: 400_000, ms: -26 * HOUR },
      ],
      2,
    ),
    budgets: [{ account: 0, workspace: 0, isMoney: false, amount: 2, period: '24h', hard: true }],
  });
  expect(violations).toEqual([]);
  expect(counts).toEqual({ delivered: 1, limit_reached: 1 });
});

/** A call under one key, whose time is over when the clock is set forward: then another may begin under the same key. */
const keyed = (at: number, replyMs: number, more: Partial<CallStep>): CallStep => ({
  ...call(at, replyMs),
  question: 1,
  key: 0,
  ...more,
});

test('a key that was answered for one request is not answered with that for another', async () => {
  const { violations, counts } = await play(
    history(
      [
        keyed(1, 29_000, { depth: 'advanced' }),
        { kind: 'clock', at: 1_500, ms: 23.5 * HOUR },
        keyed(2_500, 29_000, { depth: 'basic' }),
      ],
      3,
    ),
  );
  expect(violations).toEqual([]);
  expect(counts).toEqual({ delivered: 1, conflict: 1 });
});

test('what is answered late is not charged when another call under the same key was charged first', async () => {
  const odd = { kind: 'odd', delayMs: 2_000, status: 200, credits: 1 } as const;
  const { violations, disk } = await play(
    history(
      [
        keyed(2_850, 29_000, { chain: 'fastest' }),
        { kind: 'clock', at: 3_900, ms: 30 * HOUR },
        keyed(5_350, 2_000, { replies: [odd] }),
      ],
      3,
    ),
  );
  expect(violations).toEqual([]);
  const [first, ...others] = [...disk.holds().values()].map(({ state }) => state);
  expect([first, new Set(others)]).toEqual(['doubt', new Set(['settled'])]);
});

test('a provider that lost the race is not paid when the answer of the winner could not be written', async () => {
  const racing: Partial<CallStep> = {
    chain: 'fastest',
    freeReply: { kind: 'answer', delayMs: 300, status: 200, credits: 0 },
  };
  const { violations, counts, disk } = await play({
    ...history([keyed(3, 300, racing), keyed(360_703, 5, {})], 3),
    fates: [{ write: 2, fate: 'full' }],
  });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ storage_unavailable: 1 });
  expect([...disk.holds().values()].map(({ state }) => state)).toContain('doubt');
});

test('a call that fails after it was charged does not say that it cost nothing when its cost is unknown', async () => {
  const { violations, counts } = await play({
    ...history(
      [
        {
          ...call(200),
          replies: [
            { kind: 'odd', delayMs: 300, status: 503, credits: 1 },
            { kind: 'refuse', delayMs: 29_000, status: 400, credits: 1 },
          ],
        },
        { ...call(2_700, 40), gateway: 1, workspace: 1, chain: 'merge', cancel: { afterMs: 0, ticks: 6 } },
      ],
      2,
    ),
    gateways: 2,
    fates: [{ write: 7, fate: 'lost-after' }],
  });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ 'lost-after': 1, storage_unavailable: 1 });
});

test('who joined a call that left gets no answer that the operator has closed as unpaid', async () => {
  const { violations, counts } = await play(
    history(
      [
        { ...call(5_010, 29_000), question: 0, depth: 'advanced', timeoutMs: 10_000 },
        { ...call(10_010, 29_000), question: 0, depth: 'advanced' },
        { kind: 'clock', at: 15_868, ms: 87_648 * HOUR },
        { kind: 'operator', at: 30_116, verdict: 'billed' },
        { kind: 'operator', at: 33_720, verdict: 'billed' },
      ],
      3,
    ),
  );
  expect(violations).toEqual([]);
  expect(counts).toEqual({ deadline_exceeded: 2 });
});

test('a hold that is sent again and was ended meanwhile, by a gateway with another clock, lets nobody ask', async () => {
  const { violations, counts } = await play({
    ...history(
      [
        { kind: 'clock', at: 7_655, ms: 87_648 * HOUR },
        { kind: 'crash', at: 7_656, gateway: 0, ticks: 4, downMs: 10 },
        { kind: 'clock', at: 9_413, ms: -87_648 * HOUR },
        { ...call(31_000, 29_000), gateway: 1, question: 1, depth: 'advanced' },
        { ...call(31_000, 2_000), question: 0 },
      ],
      0,
    ),
    // How long each write takes follows from it.
    seed: 719_160,
    minute: 59,
    gateways: 2,
    accounts: [{ isLocal: false, tier: { callsFree: 0, beyond: 'charge', creditsMax: null }, credits: 2 }],
    fates: [{ write: 3, fate: 'resent' }],
  });
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ resent: 1 });
});
