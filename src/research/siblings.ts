import { isTimeName } from '../evidence/dates.ts';
import { contentTerms } from '../evidence/terms.ts';
import { isStopWord } from '../rank/stop-words.ts';
import { fold } from '../rank/tokenise.ts';
import { isItem } from './merit.ts';
import type { ResearchSource } from './state.ts';
import { namesAsked } from './themes.ts';

interface Line {
  sentence: { text: string; start: number; context?: string };
  /** The heading above it. */
  heading: string;
  source: ResearchSource;
}

/** `Port-Valmer: 480 €`: what a line of a list is about. */
const LABEL = /^([^:：]{2,40}?)\s*[:：]/u;
/** `Halo 2`, `HALCYON-3`, `K40`: one of a series, of which there are others. */
const NUMBERED = /(?<![\p{L}\p{N}])(\p{Lu}[\p{L}-]*?)[\s-]?(\d{1,3})(?![\p{L}\p{N}]|[.,]\d)/gu;

/**
 * Whether a sentence is about something beside what the question names: another line of a list that has a line for that, or another
 * number of its series.
 */
export function createSiblings(query: string, lines: Line[]): (line: Line) => boolean {
  const names = namesAsked(query);
  const asked = contentTerms(query);
  const isNamed = (text: string): boolean => names.some((name) => hasName(text, name));
  const listOf = ({ source, heading }: Line): string => `${source.id}\n${heading}`;
  const labelOf = ({ sentence, source }: Line): string | undefined =>
    isItem(source.text, sentence.start) ? LABEL.exec(sentence.text)?.[1] : undefined;
  const lists = new Set(lines.filter((line) => isNamed(labelOf(line) ?? '')).map(listOf));
  /** `Exempt: main homes` is no other place, where it is asked who is exempt. */
  const isOther = (label: string): boolean => [...contentTerms(label)].every((term) => !asked.has(term));
  const isOtherLine = (line: Line): boolean => {
    if (!lists.has(listOf(line)) || isNamed(line.sentence.text)) return false;
    const label = labelOf(line);
    return label !== undefined && isOther(label);
  };
  const numbers = numbersAsked(query, lines);
  const isOtherNumber = ({ sentence: { text, context = '' } }: Line): boolean => {
    const found = numberedIn(`${context} ${text}`);
    return numbers.some(([series, own]) => isOfOthers(found.get(series), own));
  };
  return (line) => isOtherLine(line) || (numbers.length > 0 && isOtherNumber(line));
}

/** The series of a question; where no page has the number that is asked for, the others are the nearest there is. */
function numbersAsked(query: string, lines: Line[]): [string, Set<string>][] {
  const asked = [...numberedIn(query)];
  if (asked.length === 0) return [];
  const told = numberedIn(
    lines.map(({ sentence, source }) => `${source.title}\n${sentence.text}`).join('\n'),
  );
  return asked.filter(([series, own]) => [...own].some((one) => told.get(series)?.has(one)));
}

/** A name in Latin letters is found only as whole words. */
const hasName = (text: string, name: string): boolean =>
  /\p{Script=Latin}/u.test(name) ? wordsOf(text).includes(wordsOf(name)) : fold(text).includes(name);

const wordsOf = (text: string): string => ` ${(fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `;

const isOfOthers = (found: Set<string> | undefined, asked: Set<string>): boolean =>
  found !== undefined && [...found].every((number) => !asked.has(number));

/** The numbers of each series that a text names. */
function numberedIn(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const [, name = '', number = ''] of text.matchAll(NUMBERED)) {
    const key = fold(name);
    if (!isTimeName(name) && !isStopWord(name.toLowerCase()))
      series.set(key, (series.get(key) ?? new Set()).add(number));
  }
  return series;
}
