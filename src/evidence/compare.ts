import { isFixed, isMeasure, isUnique } from './lexicon.ts';
import {
  clausesOf,
  isDenied,
  isWord,
  matchUnits,
  sideOf,
  topicOf,
  type QuantityMatch,
  type Side,
} from './match.ts';
import { differingNames, isSwapped } from './names.ts';
import type { Reading } from './reading.ts';
import type { Unit } from './scan.ts';

/** How two statements relate. `other`: they are about different things, or it cannot be decided. */
export type Comparison =
  | { relation: 'same'; isAbout: boolean }
  | { relation: 'contrary'; kind: 'number' | 'date' | 'name' | 'polarity'; values: [string, string] }
  | { relation: 'other' };

const OTHER: Comparison = { relation: 'other' };

/** Compares the statements of two sentences. */
export function compare(a: Reading, b: Reading): Comparison {
  if (a.language !== b.language || !sharesWord(a, b)) return OTHER;
  const match = matchUnits(a, b);
  if (!hasTopic(match, a, b) || a.isHypothetical !== b.isHypothetical || isSwapped(match, a, b)) return OTHER;
  const sides: [Side, Side] = [sideOf(a, match, 0), sideOf(b, match, 1)];
  // A novel and a film of the same name are two works, if both say which they are.
  if (sides.every(({ genres }) => genres.length > 0)) return OTHER;
  const polarity = polarityOf(match, a, b);
  const found = differing(match, sides, polarity, a, b);
  if (found !== undefined) return a.isFormer === b.isFormer ? found : OTHER;
  return isSame(match, sides, polarity, a, b)
    ? { relation: 'same', isAbout: match.figures.some(({ relation }) => relation === 'about') }
    : OTHER;
}

/** Whether the two may share a word; most pairs do not and are skipped. */
function sharesWord(a: Reading, b: Reading): boolean {
  for (const head of a.heads) if (b.heads.has(head)) return true;
  return false;
}

/** Whether both are about the same thing where they agree. */
function hasTopic({ pairs, matched }: QuantityMatch, a: Reading, b: Reading): boolean {
  const [one, other] = [new Set(topicOf(matched[0], a)), new Set(topicOf(matched[1], b))];
  return pairs.some(([x, y]) => one.has(x) && other.has(y));
}

/** Opposites of which exactly one is true. */
const COMPLEMENTARY = new Set(
  'permit legal safe work edible success enough believe live guilt active open approve'.split(' '),
);

/** Whether two sentences affirm or deny the same thing: 1 same, -1 opposite, 0 neither. */
export function polarityOf({ pairs, matched }: QuantityMatch, a: Reading, b: Reading): 1 | -1 | 0 {
  const denies = (reading: Reading, own: Set<Unit>): boolean => {
    const clauses = clausesOf(own);
    return (
      [...reading.negated].filter(
        (clause) => clauses.has(clause) || reading.units.every((unit) => unit.clause !== clause),
      ).length %
        2 ===
      1
    );
  };
  const prefixes = pairs.filter(([one, other]) => isDenied(one, other)).length;
  const isContrary = (denies(a, matched[0]) !== denies(b, matched[1])) !== (prefixes % 2 === 1);
  const opposites = pairs.filter(isOpposite);
  if (opposites.length === 0) return isContrary ? -1 : 1;
  if (opposites.length > 1) return 0;
  // The north tower and the south tower are two things.
  if (opposites.some(([one, other]) => isOfSubject(one, a) && isOfSubject(other, b))) return 0;
  if (!isContrary) return -1;
  return COMPLEMENTARY.has(opposites[0]?.[0].meaning?.name ?? '') ? 1 : 0;
}

const isOpposite = ([one, other]: [Unit, Unit]): boolean =>
  one.meaning !== undefined && one.meaning.sign !== other.meaning?.sign;

/** Whether an attribute precedes the noun of the subject. */
function isOfSubject(unit: Unit, { units }: Reading): boolean {
  const first = units.findIndex((one) => isWord(one) && one.role === 'argument');
  return unit.isAttribute === true && units.indexOf(unit) === first - 1;
}

function differing(
  match: QuantityMatch,
  sides: [Side, Side],
  polarity: number,
  a: Reading,
  b: Reading,
): Comparison | undefined {
  const contrary = match.figures.filter(({ relation }) => relation === 'contrary');
  const dates = contrary.filter((one) => one.a.figure?.kind === 'date');
  const numbers = contrary.filter((one) => one.a.figure?.kind === 'number');
  const isBlocked = sides.some(({ blocking }) => blocking.length > 0);
  const named = sides.filter(({ soft }) =>
    soft.some(({ isName, role }) => isName && role === 'adjunct'),
  ).length;
  const isDated = sides.some(({ figures }) => figures.some(({ figure }) => figure?.kind === 'date'));
  // What opened in 1931 may be closed now.
  if (polarity === -1 && isDated && match.pairs.some(isOpposite)) return OTHER;
  // One word in common says too little about what is denied.
  const isVague = match.pairs.length < 2;
  if (polarity === -1)
    return isBlocked || isVague || dates.length > 0 || named > 0 || sides.every(({ soft }) => soft.length > 0)
      ? OTHER
      : contraryIn('polarity', ['', '']);
  if (polarity === 0) return OTHER;
  if (numbers.length > 0) {
    const isTimed =
      isDated && !match.pairs.some(([{ meaning }]) => meaning !== undefined && isFixed(meaning.name));
    const isElsewhere = named > 0 || sides.every(({ soft }) => soft.length > 0);
    if (isBlocked || isVague || dates.length > 0 || isTimed || isElsewhere) return OTHER;
    return contraryIn('number', valuesOf(numbers));
  }
  if (dates.length > 0) {
    const hasUnique = match.pairs.some(([{ meaning }]) => meaning !== undefined && isUnique(meaning.name));
    const isPlain =
      match.pairs.length > 1 &&
      match.figures.every(({ a: one }) => one.figure?.kind === 'date') &&
      sides.every(({ soft, figures }) => soft.length + figures.length === 0) &&
      !match.pairs.some(
        ([{ meaning }]) => meaning?.name === 'change' || (meaning !== undefined && isMeasure(meaning.name)),
      );
    return !isBlocked && named < 2 && (hasUnique || isPlain) ? contraryIn('date', valuesOf(dates)) : OTHER;
  }
  const names = differingNames(match, sides, a, b);
  return names === undefined ? undefined : contraryIn('name', names);
}

const contraryIn = (kind: 'number' | 'date' | 'name' | 'polarity', values: [string, string]): Comparison => ({
  relation: 'contrary',
  kind,
  values,
});
const valuesOf = ([first]: QuantityMatch['figures']): [string, string] => [
  first?.a.figure?.text ?? '',
  first?.b.figure?.text ?? '',
];

const QUANTIFIERS = new Set(['most', 'all', 'some', 'only', 'first']);

function isSame(
  { pairs, figures, matched }: QuantityMatch,
  sides: [Side, Side],
  polarity: number,
  a: Reading,
  b: Reading,
): boolean {
  if (polarity !== 1 || a.isFormer !== b.isFormer) return false;
  if (sides.some(({ blocking }) => blocking.length > 0)) return false;
  if (figures.some(({ relation }) => relation !== 'equal' && relation !== 'about')) return false;
  const quantifiers = (own: Set<Unit>, reading: Reading): boolean =>
    reading.units.some(
      (unit) => unit.meaning !== undefined && QUANTIFIERS.has(unit.meaning.name) && !own.has(unit),
    );
  if (quantifiers(matched[0], a) || quantifiers(matched[1], b)) return false;
  // A dictionary of Japanese or Chinese words does not mark names.
  const isDense = a.language === 'ja' || a.language === 'zh';
  const says = sides.map(
    ({ soft, figures: more }) => soft.some(({ isName }) => isName || isDense) || more.length > 0,
  );
  if (says[0] === true && says[1] === true) return false;
  const isCounted = figures.some(({ a: one }) => one.figure?.kind === 'number');
  if (isCounted && sides.some(({ soft }) => soft.some(({ isName, role }) => isName && role === 'adjunct')))
    return false;
  // A figure that only one has raises no doubt, unless the other has nothing left to agree on.
  return (
    pairs.length + figures.length >= 2 &&
    sides.every(({ soft }) => soft.length <= pairs.length + figures.length)
  );
}
