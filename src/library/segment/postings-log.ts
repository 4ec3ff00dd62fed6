import { createByteWriter, hash53 } from './bytes.ts';
import { writePostings } from './postings.ts';
import type { IndexParts } from './format.ts';

const FREQUENCY_MAX = 255;

/** Collects the terms of passages, unit by unit, and sorts them by term at the end. */
export interface PostingsLog {
  /** Counts terms of the current passage, each with weight `times`. */
  count(terms: string[], times: number): void;
  /** Ends a passage; passages come in ascending order. */
  endUnit(unit: number): void;
  /** `lengths` are those of the passages. */
  columns(lengths: ArrayLike<number>): Pick<IndexParts, 'termHash' | 'termOffset' | 'termCount' | 'postings'>;
}

/** One long list of entries is much cheaper than a list for each of a million terms. */
export function createPostingsLog(): PostingsLog {
  const ids = new Map<string, number>();
  const order: string[] = [];
  let frequencies = new Uint16Array(1 << 12);
  let counts = new Uint32Array(1 << 12);
  const touched: number[] = [];
  const log = createLog();

  const newId = (term: string): number => {
    const id = order.push(term) - 1;
    ids.set(term, id);
    if (id >= counts.length) {
      frequencies = grown(frequencies, new Uint16Array(counts.length * 2));
      counts = grown(counts, new Uint32Array(counts.length * 2));
    }
    return id;
  };
  return {
    count: (terms, times) => {
      for (const term of terms) {
        const id = ids.get(term) ?? newId(term);
        const before = frequencies[id] as number;
        if (before === 0) touched.push(id);
        frequencies[id] = Math.min(before + times, FREQUENCY_MAX);
      }
    },
    endUnit: (unit) => {
      for (const id of touched) {
        log.push(id, unit, frequencies[id] as number);
        (counts[id] as number) += 1;
        frequencies[id] = 0;
      }
      touched.length = 0;
    },
    columns: (lengths) => encode(order, counts, log, lengths),
  };
}

function createLog() {
  let terms = new Uint32Array(1 << 16);
  let units = new Uint32Array(1 << 16);
  let frequencies = new Uint8Array(1 << 16);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push: (term: number, unit: number, frequency: number) => {
      if (length === terms.length) {
        terms = grown(terms, new Uint32Array(length * 2));
        units = grown(units, new Uint32Array(length * 2));
        frequencies = grown(frequencies, new Uint8Array(length * 2));
      }
      terms[length] = term;
      units[length] = unit;
      frequencies[length] = frequency;
      length += 1;
    },
    term: (at: number) => terms[at] as number,
    unit: (at: number) => units[at] as number,
    frequency: (at: number) => frequencies[at] as number,
  };
}

function grown<List extends { set(from: List): void }>(from: List, to: List): List {
  to.set(from);
  return to;
}

function encode(
  terms: string[],
  counts: Uint32Array,
  log: ReturnType<typeof createLog>,
  lengths: ArrayLike<number>,
) {
  const hashes = Float64Array.from(terms, hash53);
  const byHash = Uint32Array.from(hashes.keys()).sort(
    (a, b) => (hashes[a] as number) - (hashes[b] as number),
  );
  // Counting sort: entries of one term are adjacent and keep the order of their units.
  const places = new Uint32Array(terms.length);
  let place = 0;
  for (const id of byHash) {
    places[id] = place;
    place += counts[id] as number;
  }
  const sorted = new Uint32Array(log.length);
  for (let at = 0; at < log.length; at += 1) sorted[(places[log.term(at)] as number)++] = at;

  const writer = createByteWriter(log.length * 2 + 1);
  const termOffset = new Float64Array(terms.length + 1);
  let first = 0;
  const list = {
    count: 0,
    unit: (at: number) => log.unit(sorted[first + at] as number),
    frequency: (at: number) => log.frequency(sorted[first + at] as number),
  };
  const lengthOf = (unit: number) => lengths[unit] as number;
  for (const [rank, id] of byHash.entries()) {
    termOffset[rank] = writer.length;
    list.count = counts[id] as number;
    writePostings(writer, list, lengthOf);
    first += list.count;
  }
  termOffset[terms.length] = writer.length;
  return {
    termHash: Float64Array.from(byHash, (id) => hashes[id] as number),
    termOffset,
    termCount: Uint32Array.from(byHash, (id) => counts[id] as number),
    postings: writer.bytes(),
  };
}
