const LANGUAGES_MAX = 200;
/** The languages to try for a page without a language, in this order. */
const COMMON = 'en de fr es it pt nl sv da nb fi pl cs ro hu tr ru uk el id'.split(' ');
const known = new Map<string, Map<string, number>>();

/**
 * The number of the month with this name in the language, or in English; 0 if there is none. Abbreviations
 * count.
 */
export function monthNumber(word: string, language: string | undefined): number {
  const name = plainName(word);
  if (name.length < 3) return 0;
  for (const asked of language === undefined
    ? COMMON
    : [language.toLowerCase().replace(/[^a-z].*/s, ''), 'en']) {
    const months = monthsOf(asked);
    const exact = months.get(name);
    if (exact !== undefined) return exact;
    const longer = [...months].filter(([full]) => full.startsWith(name)).map(([, month]) => month);
    if (longer.length > 0 && new Set(longer).size === 1) return longer[0] as number;
  }
  return 0;
}

const plainName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();

function monthsOf(language: string): Map<string, number> {
  const found = known.get(language);
  if (found !== undefined) return found;
  const months = readMonths(language);
  if (known.size < LANGUAGES_MAX) known.set(language, months);
  return months;
}

/** The month names of the runtime: long, short, and as used with a day, which differ in many languages. */
function readMonths(language: string): Map<string, number> {
  const [supported] = Intl.DateTimeFormat.supportedLocalesOf([language]);
  const months = new Map<string, number>();
  if (supported === undefined) return months;
  for (const month of ['long', 'short'] as const)
    for (const day of [undefined, 'numeric'] as const)
      addMonths(
        months,
        new Intl.DateTimeFormat(`${supported}-u-ca-gregory`, { month, day, timeZone: 'UTC' }),
      );
  return months;
}

function addMonths(months: Map<string, number>, format: Intl.DateTimeFormat): void {
  for (let index = 0; index < 12; index++) {
    const name = format.formatToParts(Date.UTC(2021, index, 15)).find(({ type }) => type === 'month')?.value;
    if (name !== undefined && /\p{L}/u.test(name)) months.set(plainName(name), index + 1);
  }
}
