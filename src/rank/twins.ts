import { fold } from './tokenise.ts';

/** Remembers passages and says who already has one that is almost the same. */
export interface Twins {
  /** Takes the passage for `owner`, or names the earlier owner of its twin. */
  claim(text: string, owner: string): string | undefined;
}

/** Two passages are twins when this share of the shorter one's pieces stands in the other. */
const SHARED_MIN = 0.85;
const PIECE_CHARS = 8;

export function createTwins(): Twins {
  const taken: { owner: string; pieces: Set<string> }[] = [];
  return {
    claim: (text, owner) => {
      const pieces = piecesOf(text);
      const twin = taken.find((other) => shared(pieces, other.pieces) >= SHARED_MIN);
      if (twin !== undefined) return twin.owner;
      taken.push({ owner, pieces });
      return undefined;
    },
  };
}

/** Overlapping pieces of the letters and digits alone, so that layout and punctuation do not count. */
function piecesOf(text: string): Set<string> {
  const letters = fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
  const pieces = new Set<string>();
  for (let at = 0; at + PIECE_CHARS <= letters.length; at += 1)
    pieces.add(letters.slice(at, at + PIECE_CHARS));
  if (pieces.size === 0) pieces.add(letters);
  return pieces;
}

function shared(a: Set<string>, b: Set<string>): number {
  const [less, more] = a.size <= b.size ? [a, b] : [b, a];
  // A short passage inside a long one is a quotation, not a copy.
  if (less.size < more.size / 2) return 0;
  let found = 0;
  for (const piece of less) if (more.has(piece)) found += 1;
  return found / less.size;
}
