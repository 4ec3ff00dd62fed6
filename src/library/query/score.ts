import { backgroundShare, isCommon } from '../../rank/background.ts';
import { B, inverseFrequency, K1 } from '../../rank/bm25.ts';
import { createBest, type Best, type UnitHit } from './best.ts';
import { hash53 } from '../segment/bytes.ts';
import {
  addPostings,
  addToCandidates,
  boundOf,
  createAccumulator,
  LOOK_UP_COST,
  type Accumulator,
  type TermList,
} from './accumulate.ts';
import type { Segment } from '../segment/segment.ts';

export interface WeightedTerm {
  term: string;
  /** 1 for a term of the query, less for a suggestion. */
  weight: number;
  /** The word whose form it is. A document has one of the forms, so they are weighed together. */
  word?: string;
}

/** A term with its weight in this collection and its position in each segment. */
export interface LocatedTerm extends WeightedTerm {
  places: number[];
}

/**
 * Smoothing: this many passages of ordinary text are added to the counts, so that term weights work in a
 * small library.
 */
const BACKGROUND_PASSAGES = 100;
/**
 * A word that is common in general and in more than this share of all passages counts only when the query has
 * no rarer one.
 */
const COMMON_SHARE = 0.25;

/** Statistics over all segments, of one library or several. */
export interface Collection {
  segments: Segment[];
  units: number;
  /** The mean number of terms per passage. */
  length: number;
}

export function createCollection(segments: Segment[]): Collection {
  const units = segments.reduce((sum, segment) => sum + segment.units, 0);
  const length = segments.reduce((sum, segment) => sum + segment.length, 0);
  return { segments, units, length: length / units || 1 };
}

/** Where a term is in each segment, and in how many passages overall. */
export function locate({ segments }: Collection, term: string): { places: number[]; found: number } {
  const hash = hash53(term);
  const places = segments.map((segment) => segment.termAt(hash));
  const found = segments.reduce(
    (sum, { index }, at) => sum + (places[at] === -1 ? 0 : (index.termCount[places[at] as number] ?? 0)),
    0,
  );
  return { places, found };
}

/**
 * The weight of each term in this collection, without terms that no document has and terms that are too
 * common.
 */
export function weigh(collection: Collection, terms: WeightedTerm[]): LocatedTerm[] {
  const total = collection.units + BACKGROUND_PASSAGES;
  const located = terms.map((one) => ({ ...one, ...locate(collection, one.term) }));
  const words = new Map<string, number>();
  for (const { term, word = term, found } of located) words.set(word, (words.get(word) ?? 0) + found);
  const counted = located
    .map(({ term, word = term, weight, places, found }) => {
      const count = Math.min(
        collection.units,
        (words.get(word) ?? 0) + BACKGROUND_PASSAGES * backgroundShare(term),
      );
      return { term, places, weight: weight * inverseFrequency(count, total), found, share: count / total };
    })
    .filter(({ found }) => found > 0);
  const telling = counted.filter(({ term, share }) => share <= COMMON_SHARE || !isCommon(term));
  return telling.length > 0 ? telling : counted;
}

export interface FindOptions {
  hitsMax: number;
  /** Per segment: which documents may be returned. */
  accepts: ((document: number) => boolean)[];
}

/** Finds the best passages, one per document, best first. */
export type FindUnits = (collection: Collection, terms: LocatedTerm[], options: FindOptions) => UnitHit[];

/** Reuses its buffers: a thread runs one search at a time. */
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

/** Scores are sums of floats; a passage that could tie is not dropped because of rounding. */
const SLACK = 1 - 1e-5;

/**
 * Adds rare terms first. As soon as the remaining terms cannot lift a new passage among the best, only
 * passages that already have a score are looked up in the long lists of common terms, and most blocks of
 * those are never read.
 */
function searchSegment(
  collection: Collection,
  at: number,
  terms: LocatedTerm[],
  options: FindOptions,
  best: Best,
  room: Accumulator,
): void {
  const segment = collection.segments[at] as Segment;
  const { unitLength } = segment.index;
  const accepts = options.accepts[at] as (document: number) => boolean;
  const lists = listsOf(collection, at, terms);
  let rest = 0;
  let restCount = 0;
  for (const { bound, postings } of lists) {
    rest += bound;
    restCount += postings.count;
  }
  let done = 0;
  let { least } = best;
  let next = 0;
  for (; next < lists.length && rest >= least * SLACK; next += 1) {
    const list = lists[next] as TermList;
    addPostings(room, list, unitLength);
    rest -= list.bound;
    done += list.bound;
    restCount -= list.postings.count;
    // Only worthwhile when the remaining lists are long and can fall below the best so far.
    if (rest >= done || restCount < room.count * LOOK_UP_COST) continue;
    const partial = createBest(options.hitsMax);
    offerAll(partial, at, segment, room, accepts, least);
    least = Math.max(least, partial.least);
  }
  for (; next < lists.length; next += 1) {
    room.keep(least * SLACK - rest);
    const list = lists[next] as TermList;
    addToCandidates(room, list, unitLength);
    rest -= list.bound;
  }
  offerAll(best, at, segment, room, accepts, least * SLACK);
  room.clear();
}

function offerAll(
  best: Best,
  at: number,
  { index, deleted }: Segment,
  { scores, touched, count }: Accumulator,
  accepts: (document: number) => boolean,
  from: number,
): void {
  let least = Math.max(from, best.least);
  for (let place = 0; place < count; place += 1) {
    const unit = touched[place] as number;
    const score = scores[unit] as number;
    if (score < least) continue;
    const document = index.unitDocument[unit] as number;
    if (deleted[document] === 1 || !accepts(document)) continue;
    best.offer({ segment: at, unit, document, score });
    least = Math.max(from, best.least);
  }
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
