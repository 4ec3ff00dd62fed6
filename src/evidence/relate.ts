import type { Figure } from './figure.ts';

/** How two figures relate: equal, equal when rounded, compatible, contrary, or about different things. */
export type Relation = 'equal' | 'about' | 'compatible' | 'contrary' | 'other';

const ROUNDING = 0.025;
const ABOUT = 0.05;
const WIDE = 0.1;

export function relate(a: Figure, b: Figure): Relation {
  if (a.kind !== b.kind || !isSameDimension(a, b)) return 'other';
  if (a.kind === 'date') return relateDates(a, b);
  if (a.bound !== undefined || b.bound !== undefined) return relateBounds(a, b);
  if (a.low === b.low && a.high === b.high) return a.isAbout === b.isAbout ? 'equal' : 'about';
  const apart = Math.max(distance(a.low, b.low), distance(a.high, b.high));
  const isAbout = a.isAbout || b.isAbout;
  const isRounded =
    roundsTo(a, b) || roundsTo(b, a) || (a.isConverted && b.isConverted && a.dimension !== '%');
  if (apart <= (isAbout ? ABOUT : ROUNDING) && (isAbout || isRounded)) return 'about';
  const overlaps = a.low <= b.high && b.low <= a.high;
  const isNear = isAbout && Math.min(distance(a.low, b.high), distance(a.high, b.low)) <= WIDE;
  return overlaps || isNear ? 'compatible' : 'contrary';
}

const isSameDimension = (a: Figure, b: Figure): boolean => {
  if (a.dimension === b.dimension) return true;
  const bare = (one: Figure): boolean => one.dimension === '' || one.dimension === 'person';
  return bare(a) && bare(b);
};

const distance = (a: number, b: number): number => Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b), 1e-9);

/** Whether the first is the second, rounded. */
function roundsTo(a: Figure, b: Figure): boolean {
  if (a.low !== a.high || b.low !== b.high || a.precision >= b.precision || a.precision < 1) return false;
  return Math.abs(Number(b.low.toPrecision(a.precision)) - a.low) <= Math.abs(a.low) * 1e-9;
}

function relateDates(a: Figure, b: Figure): Relation {
  if (a.low === b.low && a.high === b.high) return a.isAbout === b.isAbout ? 'equal' : 'about';
  const isInside = (a.low <= b.low && b.high <= a.high) || (b.low <= a.low && a.high <= b.high);
  if (isInside || (a.low <= b.high && b.low <= a.high)) return 'compatible';
  const isNear =
    (a.isAbout || b.isAbout) && Math.min(Math.abs(a.low - b.high), Math.abs(b.low - a.high)) < 3e4;
  return isNear ? 'compatible' : 'contrary';
}

function relateBounds(a: Figure, b: Figure): Relation {
  if (a.low === b.low && a.high === b.high && a.bound === b.bound) return 'equal';
  const span = ({ low, high, bound }: Figure): [number, number] =>
    bound === 'above' ? [low, Infinity] : bound === 'below' ? [0, high] : [low, high];
  const [one, other] = [span(a), span(b)];
  if (one[0] < other[1] * (1 + ROUNDING) && other[0] < one[1] * (1 + ROUNDING)) {
    // "More than 5 million" is a less exact form of "5 million".
    const isSame = a.low === b.low && a.high === b.high && (a.bound === undefined || b.bound === undefined);
    return isSame ? 'about' : 'compatible';
  }
  return 'contrary';
}
