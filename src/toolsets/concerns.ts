import type { ExtractOutput } from '../contract/extract.ts';
import { asked, listed, named, own } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import type { Attempt, Outcome } from '../core/outcome.ts';

/** What a reader of a result should know: warnings and failed providers. Empty if there are none. */
export function concerns(output: { outcome: Outcome; attempts: Attempt[]; warnings: OwnText[] }): OwnText[] {
  const said = ({ provider, outcome, reason }: Attempt): OwnText =>
    own`${named(provider)}: ${outcome}${reason === undefined ? '' : own` (${reason})`}`;
  const failed = output.attempts.filter(({ outcome }) => !ANSWERS.has(outcome)).map(said);
  const degraded = output.attempts.filter(({ outcome }) => outcome === 'degraded').map(said);
  const isFine = output.outcome === 'ok' || output.outcome === 'empty';
  return [
    ...output.warnings,
    ...(isFine ? [] : [own`Outcome: ${output.outcome}.`]),
    ...(failed.length === 0 ? [] : [own`Did not answer: ${listed(new Set(failed), '; ')}.`]),
    ...(degraded.length === 0 ? [] : [own`No usable answer: ${listed(new Set(degraded), '; ')}.`]),
  ];
}

/** Outcomes of a provider that answered. */
const ANSWERS = new Set<Outcome>(['ok', 'empty', 'partial', 'degraded']);

/** Why pages are degraded, unless a warning already says so. */
export const pageConcerns = ({ results, warnings }: Pick<ExtractOutput, 'results' | 'warnings'>): OwnText[] =>
  results.flatMap(({ url, reason }) => {
    const words = reason?.toLowerCase().replace(/\.$/, '');
    const isSaid = words === undefined || warnings.some((warning) => warning.toLowerCase().includes(words));
    return isSaid || reason === undefined ? [] : [own`${asked(url)}: ${reason}`];
  });
