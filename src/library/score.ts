import { backgroundShare, isCommon } from '../rank/background.ts';
import { B, inverseFrequency, K1 } from '../rank/bm25.ts';
import { createBest, type Best, type UnitHit } from './best.ts';
import { hash53 } from './bytes.ts';
import {
  addPostings,
  addToCandidates,
  boundOf,
  createAccumulator,
  type Accumulator,
  type TermList,
} from './accumulate.ts';
import type { Segment } from './segment.ts';

export interface WeightedTerm {
  term: string;
  /** 1 for a term of the query, less for a guess. */
  weight: number;
}

/** A term with what it weighs in this collection and where it stands in each segment. */
export interface LocatedTerm extends WeightedTerm {
  places: number[];
}

/** Adds this many passages of ordinary text to the counts, so that term weights mean something in a small library too. */
const BACKGROUND_PASSAGES = 100;
/** A word that is common everywhere and in more than this share of all passages only decides when nothing rarer is asked. */
const COMMON_SHARE = 0.25;

/** What scoring needs to know about all segments together, of one library or of several. */
export interface Collection {
  segments: Segment[];
  units: number;
  /** The mean number of terms of a passage. */
  length: number;
}

export function createCollection(segments: Segment[]): Collection {
  const units = segments.reduce((sum, segment) => sum + segment.units, 0);
  const length = segments.reduce((sum, segment) => sum + segment.length, 0);
  return { segments, units, length: length / units || 1 };
}

/** Where a term stands in each segment, and in how many passages of all. */
export function locate({ segments }: Collection, term: string): { places: number[]; found: number } {
  const hash = hash53(term);
  const places = segments.map((segment) => segment.termAt(hash));
  const found = segments.reduce(
    (sum, { index }, at) => sum + (places[at] === -1 ? 0 : (index.termCount[places[at] as number] ?? 0)),
    0,
  );
  return { places, found };
}

/** The weight of each term in this collection, without terms that nothing has and those too common to matter. */
export function weigh(collection: Collection, terms: WeightedTerm[]): LocatedTerm[] {
  const total = collection.units + BACKGROUND_PASSAGES;
  const counted = terms
    .map(({ term, weight }) => {
      const { places, found } = locate(collection, term);
      const count = found + BACKGROUND_PASSAGES * backgroundShare(term);
      return { term, places, weight: weight * inverseFrequency(count, total), found, share: count / total };
    })
    .filter(({ found }) => found > 0);
  const telling = counted.filter(({ term, share }) => share <= COMMON_SHARE || !isCommon(term));
  return telling.length > 0 ? telling : counted;
}

export interface FindOptions {
  hitsMax: number;
  /** Per segment: which documents may be found. */
  accepts: ((document: number) => boolean)[];
}

/** Finds the best passages, each document once, best first. */
export type FindUnits = (collection: Collection, terms: LocatedTerm[], options: FindOptions) => UnitHit[];

/** Keeps its room for the next search: a thread searches once at a time. */
export function createFinder(): FindUnits {
  let room: Accumulator | undefined;
  return (collection, terms, options) => {
    const best = createBest(options.hitsMax);
    const units = Math.max(0, ...collection.segments.map((segment) => segment.units));
    if (room === undefined || room.scores.length < units) room = createAccumulator(units);
    for (const at of collection.segments.keys()) searchSegment(collection, at, terms, options, best, room);
    return best.hits();
  };
}

/** Scores are sums of floats; a passage that could tie is not given up for a rounding error. */
const SLACK = 1 - 1e-5;

/**
 * Adds up rare terms first. As soon as all terms that are left could not lift a new passage among the best, only the passages
 * that are already there are looked up in the long lists of the common terms, and most blocks of those are never read.
 */
function searchSegment(
  collection: Collection,
  at: number,
  terms: LocatedTerm[],
  { hitsMax, accepts }: FindOptions,
  best: Best,
  room: Accumulator,
): void {
  const segment = collection.segments[at] as Segment;
  const lists = listsOf(collection, at, terms);
  const offerAll = (to: Best, least: number) => {
    const { scores, touched } = room;
    for (let place = 0; place < room.count; place += 1) {
      const unit = touched[place] as number;
      const score = scores[unit] as number;
      if (score < least || score < to.least) continue;
      const document = segment.index.unitDocument[unit] as number;
      if (segment.deleted[document] === 1 || accepts[at]?.(document) !== true) continue;
      to.offer({ segment: at, unit, document, score });
    }
  };
  let rest = lists.reduce((sum, { bound }) => sum + bound, 0);
  let done = 0;
  let least = best.least;
  let next = 0;
  for (; next < lists.length && rest >= least * SLACK; next += 1) {
    const list = lists[next] as TermList;
    addPostings(room, list, segment.index.unitLength);
    rest -= list.bound;
    done += list.bound;
    // What is left must be able to fall below the best so far; else there is no need to know it yet.
    if (next + 1 === lists.length || rest >= done) continue;
    const partial = createBest(hitsMax);
    offerAll(partial, least);
    least = Math.max(least, partial.least);
  }
  if (next < lists.length) room.keep((score) => score + rest >= least * SLACK);
  for (; next < lists.length && room.count > 0; next += 1) {
    const list = lists[next] as TermList;
    addToCandidates(room, list, segment.index.unitLength);
    rest -= list.bound;
    const left = rest;
    room.keep((score) => score + left >= least * SLACK);
  }
  offerAll(best, least * SLACK);
  room.clear();
}

function listsOf({ segments, length }: Collection, at: number, terms: LocatedTerm[]): TermList[] {
  const segment = segments[at] as Segment;
  return terms
    .flatMap(({ places, weight }) => {
      const place = places[at] ?? -1;
      if (place === -1) return [];
      const list = {
        postings: segment.postings(place),
        weight: weight * (K1 + 1),
        // The norm of a passage is `base + slope × its length`.
        base: K1 * (1 - B),
        slope: (K1 * B) / length,
        bound: 0,
      };
      list.bound = boundOf(list);
      return [list];
    })
    .sort((a, b) => a.postings.count - b.postings.count);
}
