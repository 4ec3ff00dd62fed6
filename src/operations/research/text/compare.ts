import { isFixed, isMeasure, isUnique } from './lexicon.ts';
import type { Figure } from './figure.ts';
import { relate, type Relation } from './relate.ts';
import type { Reading } from './reading.ts';
import type { Unit } from './scan.ts';

/** How what two sentences say stands to each other. `other`: they speak of different things, or it cannot be told. */
export type Comparison =
  | { relation: 'same'; isAbout: boolean }
  | { relation: 'contrary'; kind: 'number' | 'date' | 'name' | 'polarity'; values: [string, string] }
  | { relation: 'other' };

const OTHER: Comparison = { relation: 'other' };

/** Compares what two sentences say. */
export function compare(a: Reading, b: Reading): Comparison {
  if (a.language !== b.language || !sharesWord(a, b)) return OTHER;
  const match = matchUnits(a, b);
  if (!hasTopic(match, a, b) || a.isHypothetical !== b.isHypothetical || isSwapped(match, a, b)) return OTHER;
  const sides: [Side, Side] = [sideOf(a, match, 0), sideOf(b, match, 1)];
  const polarity = polarityOf(match, a, b);
  const found = differing(match, sides, polarity, a, b);
  if (found !== undefined) return a.isFormer === b.isFormer ? found : OTHER;
  return isSame(match, sides, polarity, a, b)
    ? { relation: 'same', isAbout: match.figures.some(({ relation }) => relation === 'about') }
    : OTHER;
}

const isWord = ({ figure, meaning }: Unit): boolean => figure === undefined && meaning === undefined;

/** Whether the two may have a word in common; most pairs have not, and need no further look. */
function sharesWord(a: Reading, b: Reading): boolean {
  for (const head of a.heads) if (b.heads.has(head)) return true;
  return false;
}

export interface Match {
  pairs: [Unit, Unit][];
  figures: { a: Unit; b: Unit; relation: Relation }[];
  /** The units that found their like. */
  matched: [Set<Unit>, Set<Unit>];
}

export function matchUnits(a: Reading, b: Reading): Match {
  const matched: [Set<Unit>, Set<Unit>] = [new Set(), new Set()];
  const pairs: [Unit, Unit][] = [];
  const take = (one: Unit, other: Unit): void => {
    matched[0].add(one);
    matched[1].add(other);
  };
  const isLike: ((one: Unit, other: Unit) => boolean)[] = [
    (one, other) => other.key === one.key && other.meaning?.sign === one.meaning?.sign,
    (one, other) => other.key === one.key,
    alike,
  ];
  // The closest likes first, whatever the order of the words, so that the result does not depend on which sentence comes first.
  for (const fits of isLike) {
    for (const one of a.units) {
      if (one.figure !== undefined || matched[0].has(one)) continue;
      const other = b.units.find(
        (unit) => unit.figure === undefined && !matched[1].has(unit) && fits(one, unit),
      );
      if (other === undefined) continue;
      take(one, other);
      pairs.push([one, other]);
      // A word that is said twice counts once.
      for (const again of a.units)
        if (again.key === one.key && again.meaning?.sign === one.meaning?.sign) matched[0].add(again);
      for (const again of b.units)
        if (again.key === other.key && again.meaning?.sign === other.meaning?.sign) matched[1].add(again);
    }
  }
  const figures: Match['figures'] = [];
  for (const wanted of ['equal', 'about', 'compatible', 'contrary'] as const) {
    for (const one of a.units) {
      if (one.figure === undefined || matched[0].has(one)) continue;
      const other = b.units.find(
        (unit) =>
          unit.figure !== undefined && !matched[1].has(unit) && relateUnits(one, unit, a, b) === wanted,
      );
      if (other === undefined) continue;
      take(one, other);
      figures.push({ a: one, b: other, relation: wanted });
    }
  }
  return { pairs, figures, matched };
}

function relateUnits(one: Unit, other: Unit, a: Reading, b: Reading): Relation {
  const relation = relate(one.figure as Figure, other.figure as Figure);
  if (relation === 'other' || one.figure?.kind === 'date') return relation;
  const [nounA, nounB] = [nounOf(one, a), nounOf(other, b)];
  const isCount =
    one.figure?.dimension === '' || other.figure?.dimension === '' || one.figure?.dimension === 'person';
  return isCount &&
    nounA !== undefined &&
    nounB !== undefined &&
    nounA.key !== nounB.key &&
    !alike(nounA, nounB)
    ? 'other'
    : relation;
}

/** What a bare number counts: the word behind it. */
function nounOf(unit: Unit, { units, language }: Reading): Unit | undefined {
  if (unit.figure?.dimension !== '') return undefined;
  const next = units[units.indexOf(unit) + 1];
  const isNear =
    next !== undefined && next.figure === undefined && next.clause === unit.clause && next.role === unit.role;
  return isNear && (language === 'en' || language === 'de' || language === 'es') ? next : undefined;
}

/** Whether two words are forms of one. Names differ by a genitive at most. */
function alike(one: Unit, other: Unit): boolean {
  if (!isWord(one) || !isWord(other)) return one.key === other.key;
  const [x, y] = [one.key, other.key];
  if (x === y) return true;
  if (/[^\u0000-\u024F]/.test(x + y) || Math.min(x.length, y.length) < 4) return false;
  const shared = sharedPrefix(x, y);
  const [tailX, tailY] = [x.slice(shared), y.slice(shared)];
  if (one.isName && other.isName)
    return (tailX === '' || tailY === '') && /^(?:s|es|n|en|e)?$/.test(tailX + tailY);
  if (tailX === '' || tailY === '') return tailX.length + tailY.length <= 2;
  return shared >= 5 && tailX.length <= 3 && tailY.length <= 3;
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** The clauses in which a sentence says what the other says too, or says otherwise. */
function clausesOf(own: Set<Unit>): Set<number> {
  const predicates = [...own].filter((unit) => !isWord(unit));
  return new Set((predicates.length > 0 ? predicates : [...own]).map(({ clause }) => clause));
}

/** The matched words that these clauses are about. */
function topicOf(own: Set<Unit>, { subjects }: Reading): Unit[] {
  const clauses = clausesOf(own);
  const phrases = new Set([...clauses].map((clause) => subjects.get(clause)));
  return [...own].filter((unit) => isWord(unit) && (clauses.has(unit.clause) || phrases.has(unit.phrase)));
}

/** Whether both speak of the same thing where they say the same. */
function hasTopic({ pairs, matched }: Match, a: Reading, b: Reading): boolean {
  const [one, other] = [new Set(topicOf(matched[0], a)), new Set(topicOf(matched[1], b))];
  return pairs.some(([x, y]) => one.has(x) && other.has(y));
}

/** What one sentence says beyond the other. */
interface Side {
  /** What makes it another statement: part of the subject, an object, another event. */
  blocking: Unit[];
  /** Whole phrases that only say more: where, with whom. */
  soft: Unit[];
  /** Figures that the other does not have, in a clause that counts. */
  figures: Unit[];
}

const LOOSE = new Set(['contain', 'before', 'believe', 'make', 'carry', 'get']);
const EVENTS = ['complete', 'begin', 'open', 'cost'];

function sideOf(reading: Reading, match: Match, index: 0 | 1): Side {
  const own = match.matched[index];
  const other = match.matched[1 - index] as Set<Unit>;
  const has = (units: Iterable<Unit>, names: string[]): boolean =>
    [...units].some(({ meaning }) => meaning !== undefined && names.includes(meaning.name));
  const clauses = clausesOf(own);
  const topic = new Set(topicOf(own, reading).map(({ phrase }) => phrase));
  const side: Side = { blocking: [], soft: [], figures: [] };
  for (const unit of reading.units) {
    if (own.has(unit) || !(clauses.has(unit.clause) || topic.has(unit.phrase))) continue;
    if (unit.figure !== undefined) side.figures.push(unit);
    else if (unit.meaning !== undefined) {
      const { name } = unit.meaning;
      const isImplied =
        (name === 'build' && has(own, EVENTS)) ||
        (name === 'win' &&
          unit.meaning.sign === 1 &&
          match.figures.some(({ a }) => a.figure?.kind === 'number')) ||
        (name === 'cause' && has(own, ['die', 'hurt', 'damage'])) ||
        (isMeasure(name) &&
          match.figures.some(({ a, relation }) => a.figure?.kind === 'number' && relation !== 'other') &&
          ![...other].some(({ meaning }) => meaning !== undefined && isMeasure(meaning.name)) &&
          fits(name, match));
      if (!LOOSE.has(name) && !isImplied) side.blocking.push(unit);
    } else {
      // In `erzielte einen Umsatz von` the verb says no more than `is`.
      if (unit.isVerb === true && isMeasured(match)) continue;
      const isPart = reading.units.some((one) => one.phrase === unit.phrase && own.has(one));
      side[isPart || unit.role === 'argument' ? 'blocking' : 'soft'].push(unit);
    }
  }
  return side;
}

/** Whether both give a number for a measure that both name. */
const isMeasured = ({ pairs, figures }: Match): boolean =>
  figures.some(({ a }) => a.figure?.kind === 'number') &&
  pairs.some(([{ meaning }]) => meaning !== undefined && isMeasure(meaning.name));

const DIMENSIONS: Record<string, string> = {
  people: 'person',
  length: 'length',
  height: 'length',
  width: 'length',
  depth: 'length',
  area: 'length^2',
  weight: 'mass',
  staff: 'person',
  study: 'person',
};

/** Whether a figure of the matched ones can only be what the meaning measures. */
const fits = (name: string, { figures }: Match): boolean =>
  figures.some(
    ({ a }) =>
      a.figure?.dimension === DIMENSIONS[name] &&
      (name === 'people' || name === 'length' || name === 'area' || name === 'weight'),
  );

/** Opposites of which one is true when the other is not. */
const COMPLEMENTARY = new Set(
  'permit legal safe work edible success enough believe live guilt active open approve'.split(' '),
);

/** Whether two sentences affirm and deny the same: 1 same, -1 opposite, 0 neither. */
export function polarityOf({ pairs, matched }: Match, a: Reading, b: Reading): 1 | -1 | 0 {
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
  const isDenied = denies(a, matched[0]) !== denies(b, matched[1]);
  const opposites = pairs.filter(
    ([one, other]) => one.meaning !== undefined && one.meaning.sign !== other.meaning?.sign,
  );
  if (opposites.length === 0) return isDenied ? -1 : 1;
  if (opposites.length > 1) return 0;
  if (!isDenied) return -1;
  return COMPLEMENTARY.has(opposites[0]?.[0].meaning?.name ?? '') ? 1 : 0;
}

function differing(
  match: Match,
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
  if (polarity === -1)
    return isBlocked || dates.length > 0 || named > 0 ? OTHER : contraryIn('polarity', ['', '']);
  if (polarity === 0) return OTHER;
  if (numbers.length > 0) {
    const isTimed =
      sides.some(({ figures }) => figures.some(({ figure }) => figure?.kind === 'date')) &&
      !match.pairs.some(([{ meaning }]) => meaning !== undefined && isFixed(meaning.name));
    if (isBlocked || dates.length > 0 || isTimed || named > 0) return OTHER;
    return contraryIn('number', valuesOf(numbers));
  }
  if (dates.length > 0) {
    const hasUnique = match.pairs.some(([{ meaning }]) => meaning !== undefined && isUnique(meaning.name));
    const isPlain =
      match.figures.every(({ a: one }) => one.figure?.kind === 'date') &&
      sides.every(({ soft, figures }) => soft.length + figures.length === 0) &&
      !match.pairs.some(
        ([{ meaning }]) => meaning?.name === 'change' || (meaning !== undefined && isMeasure(meaning.name)),
      );
    return !isBlocked && named < 2 && (hasUnique || isPlain) ? contraryIn('date', valuesOf(dates)) : OTHER;
  }
  return namesDiffer(match, sides, a, b);
}

const contraryIn = (kind: 'number' | 'date' | 'name' | 'polarity', values: [string, string]): Comparison => ({
  relation: 'contrary',
  kind,
  values,
});
const valuesOf = ([first]: Match['figures']): [string, string] => [
  first?.a.figure?.text ?? '',
  first?.b.figure?.text ?? '',
];

/** Meanings whose doer is one: who founded it, who wrote it. */
const BY = new Set('design write compose invent develop discover acquire found build'.split(' '));
/** Meanings with one place, holder or name. */
const AT = new Set('located born die capital lead named elected signed found held'.split(' '));

/** Of these one thing has one holder, while one may hold several things. */
const HELD = new Set(['capital', 'lead', 'elected']);

/** Two names in the one place of a statement that can have only one. */
function namesDiffer(
  { pairs, figures, matched }: Match,
  [first, second]: [Side, Side],
  a: Reading,
  b: Reading,
): Comparison | undefined {
  const meanings = pairs.flatMap(([{ meaning }]) => (meaning === undefined ? [] : [meaning.name]));
  const extras = [first, second].map(({ blocking, soft }) => [...blocking, ...soft]) as [Unit[], Unit[]];
  if (
    extras.some(
      (units) => units.length === 0 || !units.every(({ isName, meaning }) => isName && meaning === undefined),
    )
  )
    return undefined;
  if (figures.some(({ relation }) => relation !== 'equal' && relation !== 'about')) return undefined;
  const isWhole = extras.every(
    (units, index) =>
      units.every(({ phrase }) => phrase === units[0]?.phrase) &&
      ![...(matched[index] as Set<Unit>)].some((one) => one.phrase === units[0]?.phrase),
  );
  if (!isWhole || extras.some((units) => units.some(({ isOwner }) => isOwner === true))) return undefined;
  const isDoer = (unit: Unit | undefined, reading: Reading): boolean =>
    unit !== undefined && markOf(unit, reading) === 'doer';
  const both = isDoer(extras[0][0], a) && isDoer(extras[1][0], b);
  const neither = !isDoer(extras[0][0], a) && !isDoer(extras[1][0], b);
  const isNamed = a.isNaming && b.isNaming && figures.length === 0 && pairs.length > 1 && neither;
  const isUniqueSlot =
    isNamed ||
    meanings.some(
      (name) =>
        (BY.has(name) && both) ||
        (AT.has(name) && (HELD.has(name) ? both || (neither && a.isNaming && b.isNaming) : neither)),
    );
  if (!isUniqueSlot) return undefined;
  const written = (units: Unit[]): string =>
    units.map(({ key }) => (/^[a-z]/.test(key) ? key.charAt(0).toUpperCase() + key.slice(1) : key)).join(' ');
  return contraryIn('name', [written(extras[0]), written(extras[1])]);
}

/** Who acts in a sentence: its first argument, or the agent of a passive one. */
function markOf(unit: Unit, { units, isPassive }: Reading): 'doer' | 'done' | undefined {
  if (unit.role === 'agent') return 'doer';
  if (unit.mark === 'to' && isPassive) return 'doer';
  if (unit.role !== 'argument') return undefined;
  if (unit.mark !== undefined) {
    // 線は鈴木が設計した: beside a subject the topic is the object.
    const isTopicOnly = unit.mark === 'topic' && !units.some(({ mark }) => mark === 'subject');
    return (unit.mark === 'subject' || isTopicOnly) !== isPassive ? 'doer' : 'done';
  }
  const first = units.find((one) => one.role === 'argument' && isWord(one));
  const isFirst = first?.phrase === unit.phrase;
  return isFirst !== isPassive ? 'doer' : 'done';
}

/** `A bought B` is not `B bought A`. */
function isSwapped({ pairs }: Match, a: Reading, b: Reading): boolean {
  const marks = pairs
    .filter(([one, other]) => isWord(one) && one.isName && other.isName)
    .map(([one, other]) => [markOf(one, a), markOf(other, b)]);
  return (
    marks.some(([one, other]) => one === 'doer' && other === 'done') &&
    marks.some(([one, other]) => one === 'done' && other === 'doer')
  );
}

const QUANTIFIERS = new Set(['most', 'all', 'some', 'only', 'first']);

function isSame(
  { pairs, figures, matched }: Match,
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
  const says = sides.map(({ soft, figures: more }) => soft.some(({ isName }) => isName) || more.length > 0);
  if (says[0] === true && says[1] === true) return false;
  const isCounted = figures.some(({ a: one }) => one.figure?.kind === 'number');
  if (isCounted && sides.some(({ soft }) => soft.some(({ isName, role }) => isName && role === 'adjunct')))
    return false;
  // A figure that only one has is no reason to doubt, unless the other is left with nothing to agree on.
  return (
    pairs.length + figures.length >= 2 &&
    sides.every(({ soft }) => soft.length <= pairs.length + figures.length)
  );
}
