import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How much a run repeats: `npm test` small, `.ci/run` large, `npm run test:long` full. */
export type TestSize = 'small' | 'large' | 'full';

export const testSize = (): TestSize => {
  const asked = process.env['HEADGATE_TEST_SIZE'] ?? 'small';
  if (asked === 'small' || asked === 'large' || asked === 'full') return asked;
  throw new Error(`HEADGATE_TEST_SIZE is "${asked}"; it may be small, large or full.`);
};

/** Where `sized` leaves a line for the end of the run. */
export const shrunkFile = (): string => join(tmpdir(), 'shrunk.jsonl');

/**
 * The count for the size of this run. What is smaller than the full size is listed when the run ends, so that nobody takes a small run for the whole.
 *
 * @example sized('random ledger histories', { small: 100, large: 2_000, full: 300_000 })
 */
export function sized(what: string, counts: Record<TestSize, number>): number {
  const count = counts[testSize()];
  if (count < counts.full)
    appendFileSync(shrunkFile(), `${JSON.stringify({ what, count, full: counts.full })}\n`);
  return count;
}
