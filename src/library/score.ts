import { backgroundShare, isCommon } from '../rank/background.ts';
import { B, inverseFrequency, K1 } from '../rank/bm25.ts';
import type { Segment } from './segment.ts';

export interface WeightedTerm {
  term: string;
  /** 1 for a term of the query, less for a guess. */
  weight: number;
}

export interface UnitHit {
  segment: number;
  unit: number;
  document: number;
  score: number;
}

/** Adds this many passages of ordinary text to the counts, so that term weights mean something in a small library too. */
const BACKGROUND_PASSAGES = 100;
/** A word that is common everywhere and in more than this share of all passages only decides when nothing rarer is asked. */
const COMMON_SHARE = 0.25;

/** What scoring needs to know about all segments together; it is computed once per generation. */
export interface Collection {
  segments: Segment[];
  units: number;
  /** K1 × length norm of each passage, per segment. */
  norms: Float32Array[];
  /** Room for the scores of one search at a time. */
  scores: Float32Array[];
}

export function createCollection(segments: Segment[]): Collection {
  const units = segments.reduce((sum, segment) => sum + segment.units, 0);
  let lengths = 0;
  for (const { index } of segments) for (const length of index.unitLength) lengths += length;
  const mean = lengths / units || 1;
  const norms = segments.map(({ index }) =>
    Float32Array.from(index.unitLength, (length) => K1 * (1 - B + (B * length) / mean)),
  );
  return { segments, units, norms, scores: segments.map((segment) => new Float32Array(segment.units)) };
}

/** The weight of each term in this collection, without terms that nothing has and those too common to matter. */
export function weigh(collection: Collection, terms: WeightedTerm[]): WeightedTerm[] {
  const total = collection.units + BACKGROUND_PASSAGES;
  const counted = terms
    .map(({ term, weight }) => {
      const found = collection.segments.reduce((sum, segment) => sum + segment.countOf(term), 0);
      const count = found + BACKGROUND_PASSAGES * backgroundShare(term);
      return { term, weight: weight * inverseFrequency(count, total), found, share: count / total };
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

/** The best passages, each document once, best first. */
export function findUnits(collection: Collection, terms: WeightedTerm[], options: FindOptions): UnitHit[] {
  for (const [at, segment] of collection.segments.entries()) {
    const scores = (collection.scores[at] as Float32Array).fill(0);
    for (const { term, weight } of terms) {
      const postings = segment.postings(term);
      if (postings !== undefined) {
        addPostings(scores, collection.norms[at] as Float32Array, postings.bytes, weight * (K1 + 1));
      }
    }
  }
  const places = options.hitsMax * PLACES_PER_HIT;
  const units = bestUnits(collection, options, places);
  const hits = perDocument(units, options.hitsMax);
  // A few documents filled all places: then everything has to be looked at.
  if (hits.length === options.hitsMax || units.length < places) return hits;
  return perDocument(bestUnits(collection, options, undefined), options.hitsMax);
}

function addPostings(scores: Float32Array, norms: Float32Array, bytes: Uint8Array, weight: number): void {
  let unit = 0;
  let at = 0;
  const end = bytes.length;
  while (at < end) {
    let value = bytes[at++] as number;
    if (value > 0x7f) {
      value &= 0x7f;
      let shift = 7;
      let next: number;
      do {
        next = bytes[at++] as number;
        value |= (next & 0x7f) << shift;
        shift += 7;
      } while (next > 0x7f);
    }
    unit += value >>> 1;
    const frequency = (value & 1) === 1 ? (bytes[at++] as number) : 1;
    (scores[unit] as number) += (weight * frequency) / (frequency + (norms[unit] as number));
  }
}

/** A document may have several passages among the best; this many places per wanted document nearly always suffice. */
const PLACES_PER_HIT = 4;

/** So many of the best passages and those that score the same as the last, or all that match; one pass over all scores. */
function bestUnits(collection: Collection, { accepts }: FindOptions, places: number | undefined): UnitHit[] {
  const top = new Float32Array(places ?? 0);
  const candidates: UnitHit[] = [];
  let least = 0;
  for (const [segment, { index, deleted }] of collection.segments.entries()) {
    const scores = collection.scores[segment] as Float32Array;
    const isAccepted = accepts[segment] as (document: number) => boolean;
    for (let unit = 0; unit < scores.length; unit += 1) {
      const score = scores[unit] as number;
      if (score <= least) continue;
      const document = index.unitDocument[unit] as number;
      if (deleted[document] === 1 || !isAccepted(document)) continue;
      candidates.push({ segment, unit, document, score });
      if (places !== undefined) least = insert(top, score);
    }
  }
  return candidates.filter(({ score }) => score >= least);
}

/** Puts a score among the best, in ascending order, where the least falls out, and gives the least that remains. */
function insert(top: Float32Array, score: number): number {
  let place = 1;
  for (; place < top.length && (top[place] as number) < score; place += 1)
    top[place - 1] = top[place] as number;
  top[place - 1] = score;
  return top[0] as number;
}

function perDocument(units: UnitHit[], hitsMax: number): UnitHit[] {
  const hits = new Map<string, UnitHit>();
  for (const unit of units.toSorted(byScore)) {
    const key = `${unit.segment} ${unit.document}`;
    if (!hits.has(key)) hits.set(key, unit);
    if (hits.size === hitsMax) break;
  }
  return [...hits.values()];
}

/** Best first; equal scores in the order in which documents came. */
const byScore = (a: UnitHit, b: UnitHit): number =>
  b.score - a.score || a.segment - b.segment || a.unit - b.unit;
