import { bodyStart, readBlocks, type Blocks, type Postings } from './postings.ts';

/** One term in one segment: its passages, and how they turn into scores. */
export interface TermList {
  postings: Postings;
  weight: number;
  base: number;
  slope: number;
  /** What it can add to a passage at most. */
  bound: number;
}

/** The scores of one search in one segment, and which passages have one. */
export interface Accumulator {
  scores: Float32Array;
  touched: Uint32Array;
  count: number;
  sorted: boolean;
  /** Forgets the passages whose score fails the test. */
  keep(test: (score: number) => boolean): void;
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
    keep: (test) => {
      let left = 0;
      for (let place = 0; place < room.count; place += 1) {
        const unit = touched[place] as number;
        if (test(scores[unit] as number)) touched[left++] = unit;
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

/** A short list says nothing of its passages: it is read anyway. */
export function boundOf({ postings, weight, base, slope }: Omit<TermList, 'bound'>): number {
  const blocks = readBlocks(postings);
  if (blocks.count === 0) return weight;
  let most = 0;
  for (let block = 0; block < blocks.count; block += 1) {
    const frequency = blocks.frequencyMax(block);
    most = Math.max(most, frequency / (frequency + base + slope * blocks.lengthMin(block)));
  }
  return weight * most;
}

/** Adds a term to every passage that has it. */
export function addPostings(room: Accumulator, list: TermList, lengths: Uint16Array): void {
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
    if (before === 0) touched[next++] = unit;
    scores[unit] = before + (weight * frequency) / (frequency + base + slope * (lengths[unit] as number));
  }
  room.sorted = room.count === 0;
  room.count = next;
}

/** Adds a term only to the passages that have a score, and reads only the blocks in which one of them may be. */
export function addToCandidates(room: Accumulator, list: TermList, lengths: Uint16Array): void {
  const { weight, base, slope } = list;
  const { scores, touched } = room;
  if (!room.sorted) touched.subarray(0, room.count).sort();
  room.sorted = true;
  const cursor = createCursor(list.postings);
  for (let place = 0; place < room.count; place += 1) {
    const unit = touched[place] as number;
    const frequency = cursor.frequencyIn(unit);
    if (frequency === -1) return;
    if (frequency === 0) continue;
    (scores[unit] as number) += (weight * frequency) / (frequency + base + slope * (lengths[unit] as number));
  }
}

/** Looks passages up in ascending order: 0 when it lacks the term, -1 when there are none any more. */
function createCursor(postings: Postings): { frequencyIn(unit: number): number } {
  const { bytes, count } = postings;
  const blocks = readBlocks(postings);
  const body = bodyStart(count);
  let at = body;
  let unit = -1;
  let last = 0;
  let frequency = 0;
  let block = 0;
  let isRead = false;
  const skipTo = (wanted: number) => {
    const found = blockOf(blocks, wanted, block);
    if (found === block || blocks.count === 0) return;
    block = found;
    if (block === blocks.count) return;
    at = body + blocks.end(block - 1);
    last = blocks.lastUnit(block - 1);
    isRead = false;
  };
  return {
    frequencyIn: (wanted) => {
      if (unit < wanted || !isRead) skipTo(wanted);
      if (blocks.count > 0 && block === blocks.count) return -1;
      while (!isRead || unit < wanted) {
        if (at >= bytes.length) return -1;
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
        isRead = true;
      }
      return unit === wanted ? frequency : 0;
    },
  };
}

/** The first block from `from` on that ends at or after a passage. */
function blockOf(blocks: Blocks, unit: number, from: number): number {
  let step = 1;
  let low = from;
  // Candidates are often near each other, so the search goes out in growing steps.
  while (low < blocks.count && blocks.lastUnit(Math.min(low + step, blocks.count) - 1) < unit) {
    low = Math.min(low + step, blocks.count);
    step *= 2;
  }
  let high = Math.min(low + step, blocks.count);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (blocks.lastUnit(middle) < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}
