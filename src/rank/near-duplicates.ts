import { characterClasses, fold } from './tokenise.ts';

/** Detects near-duplicate passages. */
export interface NearDuplicates {
  /** Registers the passage for `owner`, or returns the earlier owner of a near-duplicate. */
  register(text: string, owner: string): string | undefined;
}

/** Two passages are near-duplicates when this share of the shorter one's shingles is in the other. */
const SHARED_MIN = 0.85;
const PIECE_CHARS = 8;

export function createNearDuplicates(): NearDuplicates {
  const taken: { owner: string; size: number }[] = [];
  const holders = new Map<number, number[]>();
  return {
    register: (text, owner) => {
      const pieces = piecesOf(text);
      const found = new Map<number, number>();
      for (const piece of pieces) {
        for (const at of holders.get(piece) ?? []) found.set(at, (found.get(at) ?? 0) + 1);
      }
      for (const [at, count] of found) {
        const other = taken[at];
        if (other !== undefined && areNearDuplicates(count, pieces.size, other.size)) return other.owner;
      }
      for (const piece of pieces) {
        const held = holders.get(piece);
        if (held === undefined) holders.set(piece, [taken.length]);
        else held.push(taken.length);
      }
      taken.push({ owner, size: pieces.size });
      return undefined;
    },
  };
}

/** A short passage inside a long one is a quotation, not a copy. */
function areNearDuplicates(shared: number, size: number, otherSize: number): boolean {
  const [less, more] = size < otherSize ? [size, otherSize] : [otherSize, size];
  return less >= more / 2 && shared >= less * SHARED_MIN;
}

/** Shingles of letters and digits only, as numbers, so that layout and punctuation do not matter. */
function piecesOf(text: string): Set<number> {
  const table = characterClasses();
  const folded = fold(text);
  const codes: number[] = [];
  for (let index = 0; index < folded.length; index += 1) {
    const code = folded.charCodeAt(index);
    if ((table[code] ?? 0) !== 0) codes.push(code);
  }
  const pieces = new Set<number>();
  for (let from = 0; from === 0 || from + PIECE_CHARS <= codes.length; from += 1) {
    let hash = 0x811c9dc5;
    for (let at = from; at < from + PIECE_CHARS && at < codes.length; at += 1)
      hash = Math.imul(hash ^ (codes[at] ?? 0), 0x01000193);
    pieces.add((hash ^ (hash >>> 15)) & 0x3fffffff);
  }
  return pieces;
}
