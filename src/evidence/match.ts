import type { Figure } from './figure.ts';
import { isMeasure, isUnique } from './lexicon.ts';
import type { Reading } from './reading.ts';
import { relate, type Relation } from './relate.ts';
import type { Unit } from './scan.ts';

/** A word that is neither a figure nor one with a known meaning. */
export const isWord = ({ figure, meaning }: Unit): boolean => figure === undefined && meaning === undefined;

/** What two sentences have in common. */
export interface QuantityMatch {
  pairs: [Unit, Unit][];
  figures: { a: Unit; b: Unit; relation: Relation }[];
  /** The units that have a counterpart. */
  matched: [Set<Unit>, Set<Unit>];
}

/** Closest matches first, regardless of word order, so that the result is symmetric. */
const LIKES: ((one: Unit, other: Unit) => boolean)[] = [
  (one, other) => isRepeated(one, other),
  (one, other) => other.key === one.key,
  alike,
  isDenied,
];

/** Finds the counterpart of every unit in the other sentence. */
export function matchUnits(a: Reading, b: Reading): QuantityMatch {
  const matched: [Set<Unit>, Set<Unit>] = [new Set(), new Set()];
  const pairs: [Unit, Unit][] = [];
  const pair = (one: Unit, other: Unit): void => {
    pairs.push([one, other]);
    // A repeated word counts once.
    for (const again of a.units) if (again === one || isRepeated(one, again)) matched[0].add(again);
    for (const again of b.units) if (again === other || isRepeated(other, again)) matched[1].add(again);
  };
  const free = (side: 0 | 1, { units }: Reading): Unit[] =>
    units.filter((unit) => unit.figure === undefined && !matched[side].has(unit));
  for (const fits of LIKES) {
    const others = free(1, b);
    for (const one of free(0, a)) {
      if (matched[0].has(one)) continue;
      const other = others.find((unit) => !matched[1].has(unit) && fits(one, unit));
      if (other !== undefined) pair(one, other);
    }
  }
  for (const [own, theirs] of sameRuns(free(0, a), free(1, b))) {
    for (let at = 0; at < Math.max(own.length, theirs.length); at += 1)
      pair((own[at] ?? own.at(-1)) as Unit, (theirs[at] ?? theirs.at(-1)) as Unit);
  }
  dropRepeatedNames(
    a,
    matched[0],
    pairs.map(([one]) => one),
  );
  dropRepeatedNames(
    b,
    matched[1],
    pairs.map(([, other]) => other),
  );
  return { pairs, figures: matchFigures(a, b, matched), matched };
}

function matchFigures(a: Reading, b: Reading, matched: QuantityMatch['matched']): QuantityMatch['figures'] {
  const figures: QuantityMatch['figures'] = [];
  for (const wanted of ['equal', 'about', 'compatible', 'contrary'] as const) {
    for (const one of a.units) {
      if (one.figure === undefined || matched[0].has(one)) continue;
      const other = b.units.find(
        (unit) =>
          unit.figure !== undefined && !matched[1].has(unit) && relateUnits(one, unit, a, b) === wanted,
      );
      if (other === undefined) continue;
      matched[0].add(one);
      matched[1].add(other);
      figures.push({ a: one, b: other, relation: wanted });
    }
  }
  return figures;
}

/** The same word with the same meaning. */
const isRepeated = (one: Unit, again: Unit): boolean =>
  again.key === one.key && again.meaning?.sign === one.meaning?.sign;

/** A repeated name differs inside another name: `Hale-Ritter was discovered by Anna Ritter`. */
function dropRepeatedNames({ units }: Reading, own: Set<Unit>, paired: Unit[]): void {
  const missing = new Set(
    units.filter((unit) => unit.isName && isWord(unit) && !own.has(unit)).map(({ phrase }) => phrase),
  );
  for (const unit of own)
    if (unit.isName && isWord(unit) && missing.has(unit.phrase) && !paired.includes(unit)) own.delete(unit);
}

/** Phrases that are equal although the dictionary split them differently: 海棠区|房价 and 海棠|区房价. */
function sameRuns(own: Unit[], theirs: Unit[]): [Unit[], Unit[]][] {
  const others = runsOf(theirs);
  return [...runsOf(own)].flatMap(([text, units]): [Unit[], Unit[]][] => {
    const same = others.get(text);
    return same === undefined ? [] : [[units, same]];
  });
}

function runsOf(units: Unit[]): Map<string, Unit[]> {
  const phrases = new Map<number, Unit[]>();
  for (const unit of units)
    if (isWord(unit) && /[^\u0000-\u024F]/.test(unit.key))
      phrases.set(unit.phrase, [...(phrases.get(unit.phrase) ?? []), unit]);
  return new Map([...phrases.values()].map((run) => [run.map(({ key }) => key).join(''), run]));
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

/** What a bare number counts: the word after it. */
function nounOf(unit: Unit, { units, language }: Reading): Unit | undefined {
  if (unit.figure?.dimension !== '') return undefined;
  const next = units[units.indexOf(unit) + 1];
  const isNear =
    next !== undefined && next.figure === undefined && next.clause === unit.clause && next.role === unit.role;
  return isNear && (language === 'en' || language === 'de' || language === 'es') ? next : undefined;
}

/** Whether two words are forms of one. Names may differ only by a genitive. */
function alike(one: Unit, other: Unit): boolean {
  if (!isWord(one) || !isWord(other)) return one.key === other.key;
  const [x, y] = [one.key, other.key];
  if (x === y) return true;
  if (x[0] !== y[0]) return false;
  // Another particle makes another verb: phase in, phase out.
  if (/[^\u0000-\u024F]|-/.test(x + y) || Math.min(x.length, y.length) < 4) return false;
  const shared = sharedPrefix(x, y);
  const [tailX, tailY] = [x.slice(shared), y.slice(shared)];
  if (one.isName && other.isName)
    return (tailX === '' || tailY === '') && /^(?:s|es|n|en|e)?$/.test(tailX + tailY);
  if (tailX === '' || tailY === '') return tailX.length + tailY.length <= 2;
  return shared >= 5 && tailX.length <= 3 && tailY.length <= 3;
}

/** `unaware` denies what `aware` says. `informed` does not deny `formed`. */
export function isDenied(one: Unit, other: Unit): boolean {
  if (one.key.at(-1) !== other.key.at(-1)) return false;
  if (!isWord(one) || !isWord(other) || one.isName || other.isName) return false;
  const [less, more] = one.key.length < other.key.length ? [one.key, other.key] : [other.key, one.key];
  const prefix = more.endsWith(less) ? more.slice(0, more.length - less.length) : '';
  return (
    less.length >= 4 &&
    (prefix === 'un' || (/^(?:in|im|il|ir|i|non)$/.test(prefix) && !/(?:ed|ado|ido|ada|ida)$/.test(less)))
  );
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** The clauses in which a sentence agrees or disagrees with the other. */
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
  /** What makes it a different statement: part of the subject, an object, another event. */
  blocking: Unit[];
  /** The kind of work that a title names: novel, film. */
  genres: Unit[];
  /** Whole phrases that only add detail: where, with whom. */
  soft: Unit[];
  /** Figures that the other lacks, in a relevant clause. */
  figures: Unit[];
}

const GENRES = new Set(
  'novel book film movi song opera plai poem roman buch lied oper stuck gedicht novela libro pelicula cancion obra poema 小説 映画 作品 曲 小说 电影 歌曲 作品 著作 图书'.split(
    ' ',
  ),
);
const LOOSE = new Set(['contain', 'before', 'believe', 'make', 'carry', 'get']);
const EVENTS = ['complete', 'begin', 'open', 'cost'];

/** Classifies what a sentence says beyond the match, by its effect on the statement. */
export function sideOf(reading: Reading, match: QuantityMatch, index: 0 | 1): Side {
  const own = match.matched[index];
  const other = match.matched[1 - index] as Set<Unit>;
  const has = (units: Iterable<Unit>, names: string[]): boolean =>
    [...units].some(({ meaning }) => meaning !== undefined && names.includes(meaning.name));
  const clauses = clausesOf(own);
  const topic = new Set(topicOf(own, reading).map(({ phrase }) => phrase));
  const side: Side = { blocking: [], genres: [], soft: [], figures: [] };
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
        (name === 'held' &&
          [...own].some(({ meaning }) => meaning !== undefined && isUnique(meaning.name))) ||
        (name === 'cause' && has(own, ['die', 'hurt', 'damage'])) ||
        (isMeasure(name) &&
          match.figures.some(({ a, relation }) => a.figure?.kind === 'number' && relation !== 'other') &&
          ![...other].some(({ meaning }) => meaning !== undefined && isMeasure(meaning.name)) &&
          fits(name, match));
      if (!LOOSE.has(name) && !isImplied) side.blocking.push(unit);
    } else {
      // In `erzielte einen Umsatz von` the verb adds nothing to `is`.
      if (unit.isVerb === true && isMeasured(match)) continue;
      // A bridge whose name ends in `bridge` is a bridge.
      if (
        [...own].some(({ key, isName }) => isName && key.length > unit.key.length && key.endsWith(unit.key))
      )
        continue;
      if (GENRES.has(unit.key)) {
        side.genres.push(unit);
        continue;
      }
      const isPart = reading.units.some((one) => one.phrase === unit.phrase && own.has(one));
      side[isPart || unit.role === 'argument' ? 'blocking' : 'soft'].push(unit);
    }
  }
  return side;
}

/** Whether both give a number for the same measure. */
const isMeasured = ({ pairs, figures }: QuantityMatch): boolean =>
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

/** Whether a matched figure can only be what the meaning measures. */
const fits = (name: string, { figures }: QuantityMatch): boolean =>
  figures.some(
    ({ a, b }) =>
      [a.figure?.dimension, b.figure?.dimension].includes(DIMENSIONS[name]) &&
      (name === 'people' || name === 'length' || name === 'area' || name === 'weight'),
  );
