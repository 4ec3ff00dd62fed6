import type { Figure } from './figure.ts';
import { relate } from './relate.ts';
import { fold } from '../rank/tokenise.ts';
import { compare, polarityOf } from './compare.ts';
import { matchUnits, type QuantityMatch } from './match.ts';
import { read, type Reading } from './reading.ts';
import type { Unit } from './scan.ts';
import { readable } from './quote.ts';

/** The share of a sentence's terms that its source must contain. */
const COVERED_MIN = 0.75;

/**
 * Whether a quote supports a sentence: it contains every figure with unit and scale, every date and name, has
 * the same polarity, and is about the same things. `about`: only if figures are rounded, which must then be
 * stated. `known` are texts whose names need no repetition: the question, the page title.
 */
export function support(claim: string, quote: string, known = ''): 'exact' | 'about' | 'none' {
  const [said, shown] = [readable(claim), readable(quote)];
  if (said === shown) return 'exact';
  if (shown.toLowerCase().includes(said.toLowerCase())) return cutsNegation(said, shown) ? 'none' : 'exact';
  const a = read(said, '', shown);
  const b = read(shown, '', said);
  if (b.isHypothetical && !a.isHypothetical) return 'none';
  const match = matchUnits(a, b);
  if (polarityOf(match, a, b) !== 1) return 'none';
  const carried = a.units.flatMap(({ figure }) => (figure === undefined ? [] : [carriedBy(figure, b)]));
  const missing = a.units.filter((unit) => unit.figure === undefined && !match.matched[0].has(unit));
  const names = missing.filter(({ isName }) => isName);
  if (names.some((unit) => !isKnown(unit, a, b, match, known))) return 'none';
  if (!isCovered(a, b, missing) && compare(a, b).relation !== 'same') return 'none';
  return carried.includes('none') ? 'none' : carried.includes('about') ? 'about' : 'exact';
}

/** Part of a negated statement is not what was said. */
function cutsNegation(part: string, whole: string): boolean {
  return read(part).negated.size % 2 !== read(whole).negated.size % 2;
}

function carriedBy(figure: Figure, { units }: Reading): 'exact' | 'about' | 'none' {
  const found = units.map(({ figure: shown }) => {
    if (shown === undefined) return 'none';
    const relation = relate(figure, shown);
    // A date supports its year, and `about` may be dropped.
    const isInside =
      relation === 'compatible' &&
      figure.kind === 'date' &&
      figure.low <= shown.low &&
      shown.high <= figure.high;
    const isSaid =
      relation === 'about' &&
      (figure.isAbout ||
        figure.bound !== undefined ||
        (figure.low === shown.low && figure.high === shown.high));
    return relation === 'equal' || isInside || isSaid ? 'exact' : relation === 'about' ? 'about' : 'none';
  });
  return found.includes('exact') ? 'exact' : found.includes('about') ? 'about' : 'none';
}

/** Whether an omitted name is clear: `the canal` on a page about the Aldana canal. */
function isKnown(
  unit: Unit,
  a: Reading,
  b: Reading,
  { pairs, matched }: QuantityMatch,
  known: string,
): boolean {
  // In another language a name may be part of a longer word.
  if (a.language !== b.language && b.units.some(({ key }) => key.includes(unit.key))) return true;
  if (!fold(known).includes(unit.key)) return false;
  const heads = pairs.filter(([one]) => one.phrase === unit.phrase).map(([, other]) => other.phrase);
  return (
    heads.length > 0 &&
    !b.units.some((other) => heads.includes(other.phrase) && other.isName && !matched[1].has(other))
  );
}

function isCovered(a: Reading, b: Reading, missing: Unit[]): boolean {
  const said = a.units.filter(({ figure }) => figure === undefined);
  if (a.language !== b.language) {
    const anchors = a.units.filter((unit) => unit.figure !== undefined || !missing.includes(unit));
    return anchors.length > 0;
  }
  return said.length === 0 ? a.units.length > 0 : 1 - missing.length / said.length >= COVERED_MIN;
}
