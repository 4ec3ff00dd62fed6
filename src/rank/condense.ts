import { backgroundShare } from './background.ts';
import { characterPlace } from './cut.ts';
import { tokenise } from './tokenise.ts';

export interface CondenseLimits {
  charsMax: number;
  wordsMax?: number;
}

/**
 * Shortens a query to a provider's limit by dropping the least informative words: quoted phrases, operators,
 * names, numbers and rare terms stay, in order. Deterministic. `condensed` says that something was dropped,
 * so that the caller can warn.
 */
export function condenseQuery(text: string, limits: CondenseLimits): { text: string; condensed: boolean } {
  const whole = text.trim();
  const wordsMax = limits.wordsMax ?? Number.POSITIVE_INFINITY;
  if (whole.length <= limits.charsMax && wordCount(whole) <= wordsMax)
    return { text: whole, condensed: false };
  const units = unitsOf(whole);
  const kept = new Set<Unit>();
  for (const unit of units.toSorted((a, b) => b.worth - a.worth || a.start - b.start)) {
    kept.add(unit);
    const joined = join(units, kept);
    if (joined.length > limits.charsMax || wordCount(joined) > wordsMax) kept.delete(unit);
  }
  const condensed = join(units, kept);
  // Nothing fits when the only unit is one long run: its beginning is used then.
  if (condensed === '')
    return { text: whole.slice(0, characterPlace(whole, 0, limits.charsMax)), condensed: true };
  return { text: condensed, condensed: true };
}

interface Unit {
  text: string;
  start: number;
  end: number;
  worth: number;
}

const QUOTED = /"[^"]{1,200}"|“[^”]{1,200}”|「[^」]{1,200}」|『[^』]{1,200}』/g;
const OPERATOR = /^-?(?:site|filetype|intitle|inurl|ext):\S+$|^-\S+$/i;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const wordCount = (text: string): number => text.split(/\s+/).filter(Boolean).length;

function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  let place = 0;
  for (const found of text.matchAll(QUOTED)) {
    addWords(units, text, place, found.index);
    place = found.index + found[0].length;
    units.push({ text: found[0], start: found.index, end: place, worth: 100 });
  }
  addWords(units, text, place, text.length);
  // A repeated word adds nothing.
  const seen = new Set<string>();
  return units.filter((unit) => {
    const key = unit.text.toLowerCase();
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function addWords(units: Unit[], text: string, from: number, to: number): void {
  for (const found of text.slice(from, to).matchAll(/\S+/g)) {
    const start = from + found.index;
    if (UNSPACED.test(found[0])) addSegments(units, found[0], start);
    else
      units.push({
        text: found[0],
        start,
        end: start + found[0].length,
        worth: worth(found[0], text, start),
      });
  }
}

function addSegments(units: Unit[], run: string, from: number): void {
  const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });
  for (const { segment, index, isWordLike } of segmenter.segment(run)) {
    const start = from + index;
    const particle = /^\p{Script=Hiragana}+$/u.test(segment);
    const value = isWordLike !== true ? 0 : particle ? 2 : worth(segment, '', 0);
    units.push({ text: segment, start, end: start + segment.length, worth: value });
  }
}

/** The rank of a word: operators before numbers and names, then rare terms, then common ones. */
function worth(word: string, text: string, start: number): number {
  if (OPERATOR.test(word)) return 90;
  const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}+#]+$/gu, '');
  if (bare === '') return 0;
  const share = Math.max(...tokenise(bare).map(backgroundShare), 0);
  const rarity = Math.min(10, -Math.log2(share + 1 / 1_024));
  if (/\d/.test(bare)) return 60 + rarity;
  if (/[\p{L}][\p{Lu}_./-]\S/u.test(bare)) return 50 + rarity;
  // A capital at the start of a sentence does not make a name.
  const begins = start === 0 || /[.!?]\s+$/.test(text.slice(Math.max(0, start - 3), start));
  return /^\p{Lu}/u.test(bare) && (!begins || share === 0) ? 40 + rarity : rarity;
}

/** Joins the kept units in order, with a space wherever the text had one or spaced words were left out. */
function join(units: Unit[], kept: Set<Unit>): string {
  let result = '';
  let end = 0;
  for (const unit of units) {
    if (!kept.has(unit)) continue;
    const touching =
      unit.start === end || (UNSPACED.test(result.at(-1) ?? '') && UNSPACED.test(unit.text[0] ?? ''));
    result += result === '' || touching ? unit.text : ` ${unit.text}`;
    end = unit.end;
  }
  return result;
}
