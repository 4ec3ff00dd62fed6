import { isTimeName } from '../evidence/dates.ts';
import { fold } from '../rank/tokenise.ts';
import type { ResearchSource } from './state.ts';
import { namesAsked } from './themes.ts';

interface Line {
  sentence: { text: string; context?: string };
  /** The heading above it. */
  heading: string;
  source: ResearchSource;
}

/** `Port-Valmer: 480 €`: what a line of a list is about. */
const LABEL = /^([^:：|]{2,40}?)\s*[:：|]/u;
/** `Halo 2`, `HALCYON-3`, `K40`: one of a series, of which there are others. */
const NUMBERED = /(?<![\p{L}\p{N}])(\p{Lu}[\p{L}-]*?)[\s-]?(\d{1,3})(?![\p{L}\p{N}]|[.,]\d)/gu;

/**
 * Whether a sentence is about something beside what the question names: another line of a list that has a line for that, or another
 * number of its series.
 */
export function createSiblings(query: string, lines: Line[]): (line: Line) => boolean {
  const names = namesAsked(query);
  const isNamed = (text: string): boolean => names.some((name) => fold(text).includes(name));
  const listOf = ({ source, heading }: Line): string => `${source.id}\n${heading}`;
  const labelOf = ({ sentence }: Line): string | undefined => LABEL.exec(sentence.text)?.[1];
  const lists = new Set(lines.filter((line) => isNamed(labelOf(line) ?? '')).map(listOf));
  // Where no page has the number that is asked for, the others are the nearest there is.
  const told = numberedIn(
    lines.map(({ sentence, source }) => `${source.title}\n${sentence.text}`).join('\n'),
  );
  const asked = [...numberedIn(query)].filter(([series, numbers]) =>
    [...numbers].some((one) => told.get(series)?.has(one)),
  );
  return (line) => {
    const { text, context = '' } = line.sentence;
    const isOther = labelOf(line) !== undefined && lists.has(listOf(line)) && !isNamed(text);
    const found = numberedIn(`${context} ${text}`);
    return isOther || asked.some(([series, numbers]) => isOfOthers(found.get(series), numbers));
  };
}

const isOfOthers = (found: Set<string> | undefined, asked: Set<string>): boolean =>
  found !== undefined && [...found].every((number) => !asked.has(number));

/** The numbers of each series that a text names. */
function numberedIn(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const [, name = '', number = ''] of text.matchAll(NUMBERED)) {
    const key = fold(name);
    if (!isTimeName(name)) series.set(key, (series.get(key) ?? new Set()).add(number));
  }
  return series;
}
