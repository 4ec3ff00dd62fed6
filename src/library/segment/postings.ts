import type { ByteWriter } from './bytes.ts';

/*
 * Postings of one term: which passages have it and how often, as distances to the passage before; a frequency of one, which most have, costs
 * one bit. A term with more than BLOCK_UNITS passages has a table in front, one entry for each block: the block's last passage, where it
 * ends, and the highest frequency and the shortest passage in it, from which follows what it can score at most. A
 * search that cannot be changed by a block any more jumps over it.
 */

export const BLOCK_UNITS = 128;
const ENTRY_BYTES = 12;

/** The encoded postings of one term: `count` passages. */
export interface Postings {
  count: number;
  bytes: Uint8Array;
}

export const postingBlocksOf = (count: number): number =>
  count > BLOCK_UNITS ? Math.ceil(count / BLOCK_UNITS) : 0;

/** The start of the passages, after the table. */
export const bodyStart = (count: number): number => postingBlocksOf(count) * ENTRY_BYTES;

/**
 * The table of blocks; the functions below read it. Plain functions, because a search reads thousands of
 * entries.
 */
export const tableOf = ({ count, bytes }: Postings): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bodyStart(count));
export const lastUnitOf = (table: DataView, block: number): number =>
  table.getUint32(block * ENTRY_BYTES, true);
/** Relative to the start of the passages. */
export const endOf = (table: DataView, block: number): number =>
  table.getUint32(block * ENTRY_BYTES + 4, true);
export const lengthMinOf = (table: DataView, block: number): number =>
  table.getUint16(block * ENTRY_BYTES + 8, true);
export const frequencyMaxOf = (table: DataView, block: number): number =>
  table.getUint8(block * ENTRY_BYTES + 10);

/** Passages of one term in ascending order, to be written. */
export interface PostingsList {
  readonly count: number;
  unit(at: number): number;
  frequency(at: number): number;
}

/** Appends the postings of one term. */
export function writePostings(
  writer: ByteWriter,
  list: PostingsList,
  lengthOf: (unit: number) => number,
): void {
  const start = writer.length;
  const blocks = postingBlocksOf(list.count);
  writer.skip(blocks * ENTRY_BYTES);
  const body = writer.length;
  let last = 0;
  for (let block = 0; block < Math.max(1, blocks); block += 1) {
    let lengthMin = 0xffff;
    let frequencyMax = 0;
    const end = Math.min(list.count, (block + 1) * BLOCK_UNITS);
    for (let at = block * BLOCK_UNITS; at < end; at += 1) {
      const unit = list.unit(at);
      const frequency = list.frequency(at);
      writer.varint((unit - last) * 2 + (frequency > 1 ? 1 : 0));
      if (frequency > 1) writer.byte(frequency);
      last = unit;
      lengthMin = Math.min(lengthMin, lengthOf(unit));
      frequencyMax = Math.max(frequencyMax, frequency);
    }
    if (blocks === 0) return;
    const view = writer.view(start + block * ENTRY_BYTES, ENTRY_BYTES);
    view.setUint32(0, last, true);
    view.setUint32(4, writer.length - body, true);
    view.setUint16(8, lengthMin, true);
    view.setUint8(10, frequencyMax);
    view.setUint8(11, 0);
  }
}

/** Calls back for every passage of a term. */
export function eachPosting(
  { count, bytes }: Postings,
  callback: (unit: number, frequency: number) => void,
): void {
  let unit = 0;
  let at = bodyStart(count);
  while (at < bytes.length) {
    let value = 0;
    let shift = 0;
    let next: number;
    do {
      next = bytes[at++] ?? 0;
      value |= (next & 0x7f) << shift;
      shift += 7;
    } while (next > 0x7f);
    unit += value >>> 1;
    callback(unit, (value & 1) === 1 ? (bytes[at++] ?? 1) : 1);
  }
}
