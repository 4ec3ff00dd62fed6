import { createByteWriter } from './bytes.ts';
import { eachPosting, writePostings } from './postings.ts';
import { encodeIndex } from './format.ts';
import { docsFile, postingsAt, type Segment } from './segment.ts';
import type { SegmentStore } from './store.ts';

/** Several segments merged into one: the index, and the records, which are copied without decoding. */
export interface MergedSegment {
  documents: number;
  index: Uint8Array;
  records(): Iterable<Uint8Array>;
}

/** Merges segments without their deleted documents. Texts are not tokenised again. */
export function mergeSegments(store: SegmentStore, segments: Segment[]): MergedSegment {
  const kept = segments.map((segment) => livingDocuments(segment));
  const sizes = segments.map(({ name }) => sizeOf(store, docsFile(name)));
  const unitMaps = mapUnits(segments, kept);
  const offsets = newOffsets(segments, kept, sizes);
  const units = unitColumns(segments, kept, unitMaps);
  return {
    documents: kept.reduce((sum, places) => sum + places.length, 0),
    index: encodeIndex({
      ...units,
      ...documentColumns(segments, kept),
      ...termColumns(segments, unitMaps, units.unitLength),
      documentOffset: Float64Array.from(offsets),
      names: [...new Set(segments.flatMap(({ index }) => index.names()))].sort(),
    }),
    records: () => records(store, segments, kept, sizes),
  };
}

function livingDocuments({ documents, deleted }: Segment): number[] {
  return Array.from({ length: documents }, (_, place) => place).filter((place) => deleted[place] === 0);
}

/** The end of a record: the start of the next one. */
const recordEnd = ({ index }: Segment, place: number, size: number): number =>
  index.documentOffset[place + 1] ?? size;

function newOffsets(segments: Segment[], kept: number[][], sizes: number[]): number[] {
  let offset = 0;
  return segments.flatMap((segment, at) =>
    (kept[at] ?? []).map((place) => {
      const start = offset;
      offset += recordEnd(segment, place, sizes[at] ?? 0) - (segment.index.documentOffset[place] ?? 0);
      return start;
    }),
  );
}

function* records(
  store: SegmentStore,
  segments: Segment[],
  kept: number[][],
  sizes: number[],
): Generator<Uint8Array> {
  for (const [at, segment] of segments.entries()) {
    const file = store.open(docsFile(segment.name));
    try {
      for (const place of kept[at] ?? []) {
        const start = segment.index.documentOffset[place] ?? 0;
        yield file.readAt(start, recordEnd(segment, place, sizes[at] ?? 0) - start);
      }
    } finally {
      file.close();
    }
  }
}

/** Old unit → new unit, -1 when its document was deleted. */
function mapUnits(segments: Segment[], kept: number[][]): Int32Array[] {
  let next = 0;
  return segments.map(({ index, documents }, at) => {
    const living = new Uint8Array(documents);
    for (const place of kept[at] ?? []) living[place] = 1;
    return Int32Array.from(index.unitDocument, (document) => (living[document] === 1 ? next++ : -1));
  });
}

function unitColumns(segments: Segment[], kept: number[][], unitMaps: Int32Array[]) {
  const document: number[] = [];
  const start: number[] = [];
  const end: number[] = [];
  const length: number[] = [];
  let base = 0;
  for (const [at, { index, documents }] of segments.entries()) {
    const places = new Int32Array(documents);
    for (const [rank, place] of (kept[at] ?? []).entries()) places[place] = base + rank;
    for (const [unit, mapped] of (unitMaps[at] ?? new Int32Array()).entries()) {
      if (mapped === -1) continue;
      document.push(places[index.unitDocument[unit] ?? 0] ?? 0);
      start.push(index.unitStart[unit] ?? 0);
      end.push(index.unitEnd[unit] ?? 0);
      length.push(index.unitLength[unit] ?? 0);
    }
    base += kept[at]?.length ?? 0;
  }
  return {
    unitDocument: Uint32Array.from(document),
    unitStart: Uint32Array.from(start),
    unitEnd: Uint32Array.from(end),
    unitLength: Uint16Array.from(length),
  };
}

function documentColumns(segments: Segment[], kept: number[][]) {
  const pick = (column: (segment: Segment) => ArrayLike<number>): number[] =>
    segments.flatMap((segment, at) => {
      const values = column(segment);
      return (kept[at] ?? []).map((place) => values[place] ?? 0);
    });
  const domains = [...new Set(segments.flatMap(({ index }) => index.domains))];
  const packages = [...new Set(segments.flatMap(({ index }) => index.packages))];
  const renumbered = (from: string[], to: string[], column: ArrayLike<number>): Uint32Array => {
    const places = from.map((value) => to.indexOf(value));
    return Uint32Array.from(column, (value) => places[value] ?? 0);
  };
  const hashes = pick(idHashes);
  const ids = hashes.map((hash, at) => [hash, at] as const).sort((a, b) => a[0] - b[0]);
  return {
    idHash: Float64Array.from(ids, ([hash]) => hash),
    idDocument: Uint32Array.from(ids, ([, at]) => at),
    contentHash: Float64Array.from(pick(({ index }) => index.contentHash)),
    publishedDay: Int32Array.from(pick(({ index }) => index.publishedDay)),
    addedMinute: Uint32Array.from(pick(({ index }) => index.addedMinute)),
    expiresMinute: Uint32Array.from(pick(({ index }) => index.expiresMinute)),
    kind: Uint8Array.from(pick(({ index }) => index.kind)),
    domain: Uint32Array.from(pick(({ index }) => renumbered(index.domains, domains, index.domain))),
    package: Uint32Array.from(pick(({ index }) => renumbered(index.packages, packages, index.package))),
    domains,
    packages,
  };
}

/** The hash of each document's ID, by document. */
function idHashes({ index, documents }: Segment): Float64Array {
  const hashes = new Float64Array(documents);
  for (const [at, document] of index.idDocument.entries()) hashes[document] = index.idHash[at] ?? 0;
  return hashes;
}

function termColumns(segments: Segment[], unitMaps: Int32Array[], lengths: Uint16Array) {
  const postings = createByteWriter(1 << 20);
  const termHash: number[] = [];
  const termOffset: number[] = [];
  const termCount: number[] = [];
  const heads = segments.map(() => 0);
  const list = createList(lengths.length);
  const lengthOf = (unit: number) => lengths[unit] as number;
  for (;;) {
    const hash = smallest(segments, heads);
    if (hash === Number.POSITIVE_INFINITY) break;
    list.count = 0;
    for (const [at, { index }] of segments.entries()) {
      const head = heads[at] as number;
      if (index.termHash[head] !== hash) continue;
      heads[at] = head + 1;
      const map = unitMaps[at] as Int32Array;
      eachPosting(postingsAt(index, head), (unit, frequency) => {
        const mapped = map[unit] as number;
        if (mapped !== -1) list.push(mapped, frequency);
      });
    }
    if (list.count === 0) continue;
    termHash.push(hash);
    termOffset.push(postings.length);
    termCount.push(list.count);
    writePostings(postings, list, lengthOf);
  }
  termOffset.push(postings.length);
  return {
    termHash: Float64Array.from(termHash),
    termOffset: Float64Array.from(termOffset),
    termCount: Uint32Array.from(termCount),
    postings: postings.bytes(),
  };
}

/** The next term in the order of hashes. */
function smallest(segments: Segment[], heads: number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < segments.length; at += 1) {
    const hash = segments[at]?.index.termHash[heads[at] as number];
    if (hash !== undefined && hash < least) least = hash;
  }
  return least;
}

/** A buffer for the passages of one term at a time. */
function createList(units: number) {
  const places = new Uint32Array(units);
  const frequencies = new Uint8Array(units);
  return {
    count: 0,
    push(unit: number, frequency: number) {
      places[this.count] = unit;
      frequencies[this.count] = frequency;
      this.count += 1;
    },
    unit: (at: number) => places[at] as number,
    frequency: (at: number) => frequencies[at] as number,
  };
}

function sizeOf(store: SegmentStore, file: string): number {
  const opened = store.open(file);
  opened.close();
  return opened.size;
}
