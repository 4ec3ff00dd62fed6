import { plainWords } from '../../src/extract/metadata/declared-metadata.ts';

/** How a field was found: as the judge says, in part, otherwise, not at all, or where there is none. */
export type Verdict = 'right' | 'part' | 'wrong' | 'missing' | 'none' | 'invented';

const compare = (gold: string, found: string): Verdict => {
  if (gold === '') return found === '' ? 'none' : 'invented';
  if (found === '') return 'missing';
  if (gold === found) return 'right';
  return gold.includes(found) || found.includes(gold) ? 'part' : 'wrong';
};

/** Letters and digits count; a title with the site's name, or without a part of it, is right in part. */
export const judgeTitle = (gold: string, found: string): Verdict =>
  compare(plainWords(gold), plainWords(found));

/** People count as a set. */
export function judgePeople(gold: string[], found: string): Verdict {
  const [wanted, got] = [peopleIn(gold.join(', ')), peopleIn(found)];
  const shared = wanted.filter((name) => got.includes(name)).length;
  if (shared > 0) return shared === wanted.length && shared === got.length ? 'right' : 'part';
  return compare(wanted.join(' '), got.join(' '));
}

const peopleIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;/|&、，·\n]|\s(?:and|und|y|et|e|och|og|en|i|with|mit)\s/i)
      .map((name) => plainWords(name.replace(/^\s*(by|von|par|por|di|author|autor|text)[\s:]+/i, '')))
      .filter((name) => name.length > 1),
  ),
];

/** The day counts, in the zone of either. */
export function judgeDate(gold: string, found: string): Verdict {
  if (gold === '' || found === '') return compare(gold, found);
  const days = (date: string): string[] => [date.slice(0, 10), utcDay(date)];
  return days(gold).some((day) => days(found).includes(day)) ? 'right' : 'wrong';
}

function utcDay(date: string): string {
  const moment = Date.parse(date.replace(' ', 'T'));
  return /[+-]\d{2}:?\d{2}$|Z$/.test(date) && !Number.isNaN(moment)
    ? new Date(moment).toISOString().slice(0, 10)
    : date.slice(0, 10);
}
