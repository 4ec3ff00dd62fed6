import type { Attempt, Outcome } from '../core/outcome.ts';

/** What a reader of a result should know: warnings, and who failed on the way to it. Empty when all went well. */
export function concerns(output: { outcome: Outcome; attempts: Attempt[]; warnings: string[] }): string[] {
  const failed = output.attempts
    .filter((attempt) => attempt.outcome !== 'ok' && attempt.outcome !== 'empty')
    .map(
      (attempt) =>
        `${attempt.provider}: ${attempt.outcome}${attempt.reason === undefined ? '' : ` (${attempt.reason})`}`,
    );
  const isFine = output.outcome === 'ok' || output.outcome === 'empty';
  return [
    ...output.warnings,
    ...(isFine ? [] : [`Outcome: ${output.outcome}.`]),
    ...(failed.length === 0 ? [] : [`Did not answer: ${[...new Set(failed)].join('; ')}.`]),
  ];
}
