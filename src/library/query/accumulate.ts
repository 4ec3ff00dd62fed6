import {
  postingBlocksOf,
  bodyStart,
  endOf,
  frequencyMaxOf,
  lastUnitOf,
  lengthMinOf,
  tableOf,
  type Postings,
} from '../segment/postings.ts';

/** One term in one segment: its postings, and how they turn into scores. */
export interface TermList {
  postings: Postings;
  weight: number;
  base: number;
  slope: number;
  /** The most that the term can add to a score. */
  bound: number;
}

/** The scores of one search in one segment. */
export interface Accumulator {
  scores: Float32Array;
  touched: Uint32Array;
  count: number;
  sorted: boolean;
  /** Drops the passages with a lower score. */
  keep(least: number): void;
  clear(): void;
}

export function createAccumulator(units: number): Accumulator {
  const scores = new Float32Array(units);
  const touched = new Uint32Array(units);
  const room: Accumulator = {
    scores,
    touched,
    count: 0,
    sorted: false,
    keep: (least) => {
      let left = 0;
      for (let place = 0; place < room.count; place += 1) {
        const unit = touched[place] as number;
        if ((scores[unit] as number) >= least) touched[left++] = unit;
        else scores[unit] = 0;
      }
      room.count = left;
    },
    clear: () => {
      for (let place = 0; place < room.count; place += 1) scores[touched[place] as number] = 0;
      room.count = 0;
      room.sorted = false;
    },
  };
  return room;
}

/** The upper bound of a term's score. Short lists have no statistics; they are read anyway. */
export function boundOf({ postings, weight, base, slope }: Omit<TermList, 'bound'>): number {
  const blocks = postingBlocksOf(postings.count);
  if (blocks === 0) return weight;
  const table = tableOf(postings);
  let most = 0;
  for (let block = 0; block < blocks; block += 1) {
    const frequency = frequencyMaxOf(table, block);
    most = Math.max(most, frequency / (frequency + base + slope * lengthMinOf(table, block)));
  }
  return weight * most;
}

/** Adds a term's score to every passage that has it, or only to those that already have a score. */
export function addPostings(room: Accumulator, list: TermList, lengths: Uint16Array, isOpen = true): void {
  const { weight, base, slope } = list;
  const { bytes, count } = list.postings;
  const { scores, touched } = room;
  let unit = 0;
  let at = bodyStart(count);
  let next = room.count;
  const end = bytes.length;
  while (at < end) {
    let value = bytes[at++] as number;
    if (value > 0x7f) {
      value &= 0x7f;
      let shift = 7;
      let more: number;
      do {
        more = bytes[at++] as number;
        value |= (more & 0x7f) << shift;
        shift += 7;
      } while (more > 0x7f);
    }
    unit += value >>> 1;
    const frequency = (value & 1) === 1 ? (bytes[at++] as number) : 1;
    const before = scores[unit] as number;
    if (before === 0) {
      if (!isOpen) continue;
      touched[next++] = unit;
    }
    scores[unit] = before + (weight * frequency) / (frequency + base + slope * (lengths[unit] as number));
  }
  if (next === room.count) return;
  room.sorted = room.count === 0;
  room.count = next;
}

/** Looking up one passage costs about as much as reading this many in sequence. */
export const LOOK_UP_COST = 8;

/** Adds a term's score only to passages that have one, and reads only the blocks that may contain them. */
export function addToCandidates(room: Accumulator, list: TermList, lengths: Uint16Array): void {
  if (room.count * LOOK_UP_COST > list.postings.count) {
    addPostings(room, list, lengths, false);
    return;
  }
  const { weight, base, slope } = list;
  const { scores, touched } = room;
  if (!room.sorted) touched.subarray(0, room.count).sort();
  room.sorted = true;
  const { bytes, count } = list.postings;
  const blocks = postingBlocksOf(count);
  const table = tableOf(list.postings);
  const body = bodyStart(count);
  let block = 0;
  let blockLast = blocks === 0 ? Number.POSITIVE_INFINITY : lastUnitOf(table, 0);
  let at = body;
  let unit = -1;
  let last = 0;
  let frequency = 0;
  for (let place = 0; place < room.count; place += 1) {
    const wanted = touched[place] as number;
    if (blockLast < wanted) {
      block = blockWith(table, blocks, wanted, block + 1);
      if (block === blocks) return;
      at = body + endOf(table, block - 1);
      last = lastUnitOf(table, block - 1);
      blockLast = lastUnitOf(table, block);
      unit = -1;
    }
    while (unit < wanted) {
      if (at >= bytes.length) return;
      let value = 0;
      let shift = 0;
      let more: number;
      do {
        more = bytes[at++] as number;
        value |= (more & 0x7f) << shift;
        shift += 7;
      } while (more > 0x7f);
      unit = last + (value >>> 1);
      frequency = (value & 1) === 1 ? (bytes[at++] as number) : 1;
      last = unit;
    }
    if (unit !== wanted) continue;
    (scores[unit] as number) += (weight * frequency) / (frequency + base + slope * (lengths[unit] as number));
  }
}

/** The first block from `from` on that ends at or after a passage. */
function blockWith(table: DataView, blocks: number, unit: number, from: number): number {
  let step = 1;
  let low = from;
  // Candidates are often close together, so the search proceeds in growing steps.
  while (low < blocks && lastUnitOf(table, Math.min(low + step, blocks) - 1) < unit) {
    low = Math.min(low + step, blocks);
    step *= 2;
  }
  let high = Math.min(low + step, blocks);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lastUnitOf(table, middle) < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}
