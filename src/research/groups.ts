import { compare, type Comparison } from '../evidence/compare.ts';
import { readable } from '../evidence/quote.ts';
import type { SentenceCandidate } from './candidates.ts';

/** A statement, and the sentences of other sites that repeat it. */
export interface Group {
  lead: SentenceCandidate;
  echoes: SentenceCandidate[];
  /** Those whose page is a copy of another. */
  copies: Set<SentenceCandidate>;
  /** Whether the lead says no more than that of an earlier group, or answers the question less. */
  isMinor: boolean;
}

export type Relate = (a: SentenceCandidate, b: SentenceCandidate) => Comparison;

/** Compares each pair once and caches the result. */
export function createRelations(): Relate {
  const known = new Map<SentenceCandidate, Map<SentenceCandidate, Comparison>>();
  return (a, b) => {
    const row = known.get(a) ?? new Map<SentenceCandidate, Comparison>();
    known.set(a, row);
    const found = row.get(b) ?? compare(a.reading, b.reading);
    row.set(b, found);
    return found;
  };
}

/** The group of a sentence; without one, it becomes a finding of its own. */
export function groupOf(candidate: SentenceCandidate, groups: Group[]): Group | undefined {
  const found = groups.find(({ lead, echoes }) => lead === candidate || echoes.includes(candidate));
  if (found !== undefined) return found;
  // A copy of a sentence that is already shown adds nothing.
  if (
    groups.some(({ lead, echoes }) =>
      [lead, ...echoes].some((one) => readable(one.text) === readable(candidate.text)),
    )
  )
    return undefined;
  const group = { lead: candidate, echoes: [], copies: new Set<SentenceCandidate>(), isMinor: false };
  groups.push(group);
  return group;
}
