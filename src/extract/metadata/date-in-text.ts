import { monthNumber } from './month-names.ts';
import { writeDay } from './read-date.ts';

/** The zero of each script whose digits occur in dates. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xff10];
const TEXT_CHARS_MAX = 300;

/**
 * Finds the first date in a short text, in digits or in words of the page's language. Ambiguous orders of
 * day and month are rejected.
 */
export function dateInText(text: string, language: string | undefined): string | undefined {
  const plain = asciiDigits(text.slice(0, TEXT_CHARS_MAX));
  if (!/\d/.test(plain)) return undefined;
  return yearFirst(plain) ?? inWords(plain, language) ?? yearLast(plain, language);
}

const asciiDigits = (text: string): string =>
  text.replace(/[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\u09E6-\u09EF\uFF10-\uFF19]/g, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (ZEROS.findLast((zero) => zero <= code) as number));
  });

function yearFirst(text: string): string | undefined {
  const match =
    /(?<!\d)(\d{4})\s?(?:年|년)\s?(\d{1,2})\s?(?:月|월)\s?(\d{1,2})\s?(?:日|일)/.exec(text) ??
    /(?<![\d./-])(\d{4})([-/.])\s?(\d{1,2})\2\s?(\d{1,2})(?![\d/-])/.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.length === 4 ? match.slice(1) : [match[1], match[3], match[4]];
  return writeDay(Number(year), Number(month), Number(day));
}

/** Larger years are Buddhist, which are 543 ahead. */
const BUDDHIST_MIN = 2400;
const commonYear = (year: number): number => (year > BUDDHIST_MIN ? year - 543 : year);

// Defined by what a word does not contain: repeated Unicode classes take a tenth of a second to compile, and month names are looked up anyway.
const WORD = String.raw`([^\d\s.,;:!?()[\]/|"'’\-–—]{3,20})`;
const DAY_FIRST = new RegExp(
  String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?[\s\-.]{0,3}(?:de\s+|d')?${WORD}\.?,?[\s\-.]{0,3}(?:de\s+|del\s+)?(\d{4})(?!\d)`,
  'g',
);
const MONTH_FIRST = new RegExp(
  String.raw`(?:^|[\d\s.,;:!?()[\]/|"'’\-–—])${WORD}\.?\s{0,2}(\d{1,2})(?:st|nd|rd|th)?(?:,\s{0,2}|\s{1,2})(\d{4})(?!\d)`,
  'g',
);
const YEAR_MONTH_DAY = new RegExp(String.raw`(?<!\d)(\d{4})\.?\s(?:m\.\s)?${WORD}\.?\s(\d{1,2})(?!\d)`, 'g');

function inWords(text: string, language: string | undefined): string | undefined {
  if (!/\d{4}(?!\d)/.test(text)) return undefined;
  for (const [pattern, day, month, year] of [
    [DAY_FIRST, 1, 2, 3],
    [MONTH_FIRST, 2, 1, 3],
    [YEAR_MONTH_DAY, 3, 2, 1],
  ] as const)
    for (const match of text.matchAll(pattern)) {
      const number = monthNumber(match[month] as string, language);
      const found = number > 0 && writeDay(commonYear(Number(match[year])), number, Number(match[day]));
      if (found) return found;
    }
  return undefined;
}

function yearLast(text: string, language: string | undefined): string | undefined {
  const match = /(?<![\d./-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4})(?![\d/-])/.exec(text);
  if (match === null) {
    const short = /(?<![\d./-])(\d{2})\.(\d{2})\.(\d{2})(?![\d.:/-])/.exec(text);
    return short === null ? undefined : writeDay(2000 + Number(short[3]), Number(short[2]), Number(short[1]));
  }
  const [first, second, year] = [Number(match[1]), Number(match[3]), commonYear(Number(match[4]))];
  const isMonthFirst = second > 12 || (match[2] === '/' && /^en(-us)?$/i.test(language ?? 'en'));
  // Between the English of America and of elsewhere a page that only says English leaves it open.
  const isOpen =
    isMonthFirst && second <= 12 && first <= 12 && first !== second && !/us$/i.test(language ?? '');
  if (isOpen) return undefined;
  return isMonthFirst ? writeDay(year, first, second) : writeDay(year, second, first);
}
