import { type History, makeHistory } from './history.ts';
import { play, type Played } from './play.ts';

export interface Found {
  seed: number;
  violations: string[];
  /** The smallest history found that shows the same. */
  smallest: History;
}

export interface Simulated {
  histories: number;
  calls: number;
  requests: number;
  counts: Record<string, number>;
  found: Found[];
}

export interface SimulateOptions {
  /** The first seed; the others follow it. */
  seed: number;
  histories: number;
  /** Stop after so many seeds that show something. */
  foundMax?: number;
  /** Told about every history. */
  played?(history: History, played: Played): Promise<void>;
}

/** Plays many histories, each from a seed of its own. */
export async function simulate(options: SimulateOptions): Promise<Simulated> {
  const { seed: first, histories, foundMax = 1 } = options;
  // Failures are part of every history, and nobody reads where they were made.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const total: Simulated = { histories: 0, calls: 0, requests: 0, counts: {}, found: [] };
  for (let seed = first; seed < first + histories && total.found.length < foundMax; seed += 1) {
    const history = makeHistory(seed);
    const played = await play(history);
    total.histories += 1;
    total.calls += played.calls;
    total.requests += played.requests;
    for (const [what, count] of Object.entries(played.counts))
      total.counts[what] = (total.counts[what] ?? 0) + count;
    if (played.violations.length > 0)
      total.found.push({ seed, violations: played.violations, smallest: await shrink(history, played) });
    await options.played?.(history, played);
  }
  Error.stackTraceLimit = stackTraceLimit;
  return total;
}

/** Takes away what is not needed to show the same violation. */
export async function shrink(history: History, played: Played): Promise<History> {
  const wanted = kindOf(played.violations[0] ?? '');
  const shows = async (smaller: History): Promise<boolean> =>
    (await play(smaller)).violations.some((violation) => kindOf(violation) === wanted);
  let smallest = history;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const smaller of smallerOnes(smallest)) {
      if (!(await shows(smaller))) continue;
      smallest = smaller;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** What a violation is about, without its numbers. */
export const kindOf = (violation: string): string => violation.replace(/\w*\d[\w-]*/g, '#');

function* smallerOnes(history: History): Generator<History> {
  const { steps, fates } = history;
  for (let index = 0; index < steps.length; index += 1)
    yield { ...history, steps: steps.filter((_, other) => other !== index) };
  for (let index = 0; index < fates.length; index += 1)
    yield { ...history, fates: fates.filter((_, other) => other !== index) };
  if ((history.budgets ?? []).length > 0)
    yield { ...history, budgets: [], steps: steps.filter(({ kind }) => kind !== 'budget') };
  for (const [index, step] of steps.entries()) {
    const withStep = (smaller: typeof step): History => ({
      ...history,
      steps: steps.map((one, other) => (other === index ? smaller : one)),
    });
    if (step.kind !== 'call') continue;
    if (step.cancel !== null) yield withStep({ ...step, cancel: null });
    if (step.key !== null) yield withStep({ ...step, key: null });
    if (step.chain !== 'priced') yield withStep({ ...step, chain: 'priced' });
    if (step.replies.length > 1) yield withStep({ ...step, replies: step.replies.slice(0, -1) });
    if (step.timeoutMs < 60_000) yield withStep({ ...step, timeoutMs: 60_000 });
  }
}
