import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../core/limits.ts';
import type { Comparison } from '../evidence/compare.ts';
import { figuresOf } from '../evidence/figures.ts';
import { readable } from '../evidence/quote.ts';
import { contentTerms } from '../evidence/terms.ts';
import type { SentenceCandidate } from './candidates.ts';
import { groupOf, type Group, type Relate } from './groups.ts';
import { figureKey } from './said.ts';
import type { Conflict } from './state.ts';

/** Statements that contradict each other share this much of the shorter one's words. */
const SHARED_MIN = 0.4;

interface Dispute {
  kind: Conflict['kind'];
  sides: { group: Group; value: string }[];
}

/** The words of a statement and of the sentence it refers to. */
const withContext = ({ context = '', terms }: SentenceCandidate): string[] => [
  ...new Set([...terms, ...contentTerms(context)]),
];

const shareOne = (some: string[], others: string[]): boolean => some.some((one) => others.includes(one));

/** Contradicting statements, each with its whole dispute. Those not yet chosen become findings. */
export async function disputesIn(
  candidates: SentenceCandidate[],
  groups: Group[],
  relate: Relate,
  asked: Set<string>,
): Promise<Dispute[]> {
  const disputes: Dispute[] = [];
  const named = (one: SentenceCandidate): string[] => withContext(one).filter((term) => asked.has(term));
  const best = candidates.find(({ isOff }) => !isOff);
  const isSubjectNamed = best !== undefined && named(best).length > 0;
  for (const [at, a] of candidates.entries()) {
    // Yield to other work.
    await nextTurn();
    for (const b of candidates.slice(at + 1)) {
      if (a.source.id === b.source.id || disputes.length >= LIMITS.researchConflictsMax) continue;
      const found = relate(a, b);
      if (found.relation !== 'contrary') continue;
      if (!isOfOneThing(a, b, found.values)) continue;
      // Two prices without what they are paid for are not those of one thing.
      if (isSubjectNamed && found.kind === 'number' && !shareOne(named(a), named(b))) continue;
      const [one, other] = [groupOf(a, groups), groupOf(b, groups)];
      if (one === undefined || other === undefined || one === other) continue;
      addDispute(disputes, found, one, other, relate);
    }
  }
  return disputes;
}

function addDispute(
  disputes: Dispute[],
  { kind, values }: Extract<Comparison, { relation: 'contrary' }>,
  one: Group,
  other: Group,
  relate: Relate,
): void {
  const isIn = (dispute: Dispute, group: Group): boolean =>
    dispute.sides.some((side) => side.group === group);
  if (disputes.some((dispute) => isIn(dispute, one) && isIn(dispute, other))) return;
  const isAgainst = (group: Group, { sides }: Dispute): boolean =>
    sides.every((side) => {
      const found = relate(side.group.lead, group.lead);
      return found.relation === 'contrary' && found.kind === kind;
    });
  for (const [group, value] of [
    [one, values[0]],
    [other, values[1]],
  ] as const) {
    const dispute = disputes.find(
      (open) => open.kind === kind && !isIn(open, group) && isIn(open, group === one ? other : one),
    );
    if (dispute !== undefined && isAgainst(group, dispute)) {
      dispute.sides.push({ group, value });
      return;
    }
  }
  disputes.push({
    kind,
    sides: [
      { group: one, value: values[0] },
      { group: other, value: values[1] },
    ],
  });
}

/**
 * Whether two statements can be compared at all: they have enough words in common, those of their contexts included.
 * Where figures differ, each has one of that kind, so that it is clear which of them do, and their other figures do not.
 */
function isOfOneThing(a: SentenceCandidate, b: SentenceCandidate, values: [string, string]): boolean {
  const terms = withContext(a);
  const shared = withContext(b).filter((term) => terms.includes(term)).length;
  if (shared < Math.min(a.terms.size, b.terms.size) * SHARED_MIN) return false;
  const [some, others] = [otherFigures(values[0], a), otherFigures(values[1], b)];
  if (some === undefined || others === undefined) return false;
  return some.length === 0 || others.length === 0 || shareOne(some, others);
}

/** The figures of a statement beside the value that differs, or undefined if one of them is of the same kind. */
function otherFigures(value: string, { text, reading }: SentenceCandidate): string[] | undefined {
  const figures = figuresOf(readable(text), reading.language);
  const one = figures.find((figure) => figure.text === value);
  const isName = one === undefined && value !== '';
  const others = isName ? [] : figures.filter((figure) => figure !== one);
  const isAmong = others.some(({ kind, dimension }) => kind === one?.kind && dimension === one.dimension);
  return isAmong ? undefined : others.map(figureKey);
}
