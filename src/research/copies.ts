import { fold } from '../rank/tokenise.ts';
import type { ResearchSource } from './state.ts';

const PIECE_CHARS = 12;
const CHARS_MAX = 8_000;
/** Two texts are copies if this share of the shorter one is in the other. */
const SHARED_MIN = 0.7;

interface Said {
  text: string;
  source: ResearchSource;
}

/** Whether two sentences come from one text on two sites, such as a mirror or press release. */
export function createCopies(): (a: Said, b: Said) => boolean {
  const known = new Map<string, Set<string>>();
  const piecesOf = ({ id, hash, text }: ResearchSource): Set<string> => {
    const key = `${id} ${hash}`;
    const pieces = known.get(key) ?? cut(text);
    known.set(key, pieces);
    return pieces;
  };
  return (a, b) =>
    a.source.hash === b.source.hash ||
    (isInside(cut(a.text), cut(b.text)) && isInside(piecesOf(a.source), piecesOf(b.source)));
}

function isInside(one: Set<string>, other: Set<string>): boolean {
  const [less, more] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const piece of less) if (more.has(piece)) shared += 1;
  return shared >= less.size * SHARED_MIN;
}

/** Overlapping shingles of letters and digits, which ignore layout. */
function cut(text: string): Set<string> {
  const plain = fold(text.slice(0, CHARS_MAX)).replace(/[^\p{L}\p{N}]+/gu, '');
  const pieces = new Set<string>();
  for (let at = 0; at === 0 || at + PIECE_CHARS <= plain.length; at += 1)
    pieces.add(plain.slice(at, at + PIECE_CHARS));
  return pieces;
}
