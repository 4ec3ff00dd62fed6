import type { ExtractOutput } from '../contract/extract.ts';
import type { Attempt, Outcome } from '../core/outcome.ts';

/** What a reader of a result should know: warnings, and who failed on the way to it. Empty when all went well. */
export function concerns(output: { outcome: Outcome; attempts: Attempt[]; warnings: string[] }): string[] {
  const said = (attempt: Attempt): string =>
    `${attempt.provider}: ${attempt.outcome}${attempt.reason === undefined ? '' : ` (${attempt.reason})`}`;
  const failed = output.attempts.filter(({ outcome }) => !ANSWERS.has(outcome)).map(said);
  const degraded = output.attempts.filter(({ outcome }) => outcome === 'degraded').map(said);
  const isFine = output.outcome === 'ok' || output.outcome === 'empty';
  return [
    ...output.warnings,
    ...(isFine ? [] : [`Outcome: ${output.outcome}.`]),
    ...(failed.length === 0 ? [] : [`Did not answer: ${[...new Set(failed)].join('; ')}.`]),
    ...(degraded.length === 0 ? [] : [`No usable answer: ${[...new Set(degraded)].join('; ')}.`]),
  ];
}

/** Who answered, whatever the answer is worth. */
const ANSWERS = new Set<Outcome>(['ok', 'empty', 'partial', 'degraded']);

/** Why pages are worth little, where no warning says so already. */
export const pageConcerns = ({ results, warnings }: Pick<ExtractOutput, 'results' | 'warnings'>): string[] =>
  results.flatMap(({ url, reason }) => {
    const words = reason?.toLowerCase().replace(/\.$/, '');
    const isSaid = words === undefined || warnings.some((warning) => warning.toLowerCase().includes(words));
    return isSaid ? [] : [`${url}: ${reason}`];
  });
