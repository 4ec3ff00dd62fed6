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
}

export function createCollection(segments: Segment[]): Collection {
  const units = segments.reduce((sum, segment) => sum + segment.units, 0);
  let lengths = 0;
  for (const { index } of segments) for (const length of index.unitLength) lengths += length;
  const mean = lengths / units || 1;
  const norms = segments.map(({ index }) =>
    Float32Array.from(index.unitLength, (length) => K1 * (1 - B + (B * length) / mean)),
  );
  return { segments, units, norms };
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

/** The best passages of one segment, each document once, best first. */
export function searchSegment(
  collection: Collection,
  at: number,
  terms: WeightedTerm[],
  options: { hitsMax: number; accepts(document: number): boolean },
): UnitHit[] {
  const segment = collection.segments[at];
  const norms = collection.norms[at];
  if (segment === undefined || norms === undefined) return [];
  const scores = new Float32Array(segment.units);
  for (const { term, weight } of terms) {
    const postings = segment.postings(term);
    if (postings !== undefined) addPostings(scores, norms, postings.bytes, weight * (K1 + 1));
  }
  return best(scores, segment, at, options);
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

function best(
  scores: Float32Array,
  { index, deleted }: Segment,
  segment: number,
  { hitsMax, accepts }: { hitsMax: number; accepts(document: number): boolean },
): UnitHit[] {
  const hits = new Map<number, UnitHit>();
  let least = 0;
  for (let unit = 0; unit < scores.length; unit += 1) {
    const score = scores[unit] as number;
    if (score <= least) continue;
    const document = index.unitDocument[unit] as number;
    if (deleted[document] === 1 || !accepts(document)) continue;
    const known = hits.get(document);
    if (known !== undefined && known.score >= score) continue;
    hits.set(document, { segment, unit, document, score });
    // The worst are dropped now and then rather than at every step.
    if (hits.size >= hitsMax * 4) least = shrink(hits, hitsMax);
  }
  shrink(hits, hitsMax);
  return [...hits.values()];
}

/** Keeps the best hits, in order; the score of the last one is what others must exceed. */
function shrink(hits: Map<number, UnitHit>, hitsMax: number): number {
  const ordered = [...hits.values()].sort(byScore).slice(0, hitsMax);
  hits.clear();
  for (const hit of ordered) hits.set(hit.document, hit);
  return ordered.length < hitsMax ? 0 : (ordered.at(-1)?.score ?? 0);
}

/** Best first; equal scores in the order in which documents came. */
export const byScore = (a: UnitHit, b: UnitHit): number =>
  b.score - a.score || a.segment - b.segment || a.unit - b.unit;
