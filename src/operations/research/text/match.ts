import type { Figure } from './figure.ts';
import { isMeasure } from './lexicon.ts';
import type { Reading } from './reading.ts';
import { relate, type Relation } from './relate.ts';
import type { Unit } from './scan.ts';

/** A word that is neither a figure nor one with a known meaning. */
export const isWord = ({ figure, meaning }: Unit): boolean => figure === undefined && meaning === undefined;

/** What two sentences have in common. */
export interface Match {
  pairs: [Unit, Unit][];
  figures: { a: Unit; b: Unit; relation: Relation }[];
  /** The units that found their like. */
  matched: [Set<Unit>, Set<Unit>];
}

/** Finds for every unit of a sentence its like in the other. */
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
export function clausesOf(own: Set<Unit>): Set<number> {
  const predicates = [...own].filter((unit) => !isWord(unit));
  return new Set((predicates.length > 0 ? predicates : [...own]).map(({ clause }) => clause));
}

/** The matched words that these clauses are about. */
export function topicOf(own: Set<Unit>, { subjects }: Reading): Unit[] {
  const clauses = clausesOf(own);
  const phrases = new Set([...clauses].map((clause) => subjects.get(clause)));
  return [...own].filter((unit) => isWord(unit) && (clauses.has(unit.clause) || phrases.has(unit.phrase)));
}

/** What one sentence says beyond the other. */
export interface Side {
  /** What makes it another statement: part of the subject, an object, another event. */
  blocking: Unit[];
  /** Whole phrases that only say more: where, with whom. */
  soft: Unit[];
  /** Figures that the other does not have, in a clause that counts. */
  figures: Unit[];
}

const LOOSE = new Set(['contain', 'before', 'believe', 'make', 'carry', 'get']);
const EVENTS = ['complete', 'begin', 'open', 'cost'];

/** What a sentence says beyond what was matched, by what it does to the statement. */
export function sideOf(reading: Reading, match: Match, index: 0 | 1): Side {
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
