import { expect, test } from 'vitest';
import { sized } from '../support/sized.ts';
import { makeHistory } from '../support/simulation/history.ts';
import { play } from '../support/simulation/play.ts';
import { simulate, type Found } from '../support/simulation/simulate.ts';

const HISTORIES = sized('simulated histories', { small: 500, large: 40_000, full: 1_000_000 });

/** What to look at first when a history shows something. */
const report = ({ seed, violations, smallest }: Found): string =>
  `npm run simulate -- --seed ${seed} --histories 1\n${violations.join('\n')}\n${JSON.stringify(smallest)}`;

test('every history of calls, cancels, crashes, faults and lies ends in sound books', async () => {
  const { found, histories, counts } = await simulate({ seed: 1, histories: HISTORIES });
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
