// Dates that a text names after a day: a page that knows the future gives the answer away.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?:${MONTHS.join('|')})[a-z]{0,6}\\.?`;
const YEAR = '(?:19|20)\\d\\d';
/** From the most exact form to a year alone; a number with a unit or inside a word is no year. */
const FORMS = new RegExp(
  [
    `\\b(?<y1>${YEAR})[-/.](?<m1>\\d{1,2})(?:[-/.](?<d1>\\d{1,2}))?\\b`,
    `\\b(?<d2>\\d{1,2})(?:st|nd|rd|th|\\.)? (?<n2>${MONTH}),? (?<y2>${YEAR})\\b`,
    `\\b(?<n3>${MONTH}) (?:(?<d3>\\d{1,2})(?:st|nd|rd|th)?,? )?(?<y3>${YEAR})\\b`,
    `(?<y4>${YEAR})年(?:(?<m4>\\d{1,2})月(?:(?<d4>\\d{1,2})日)?)?`,
    `(?<![\\w.,/-])(?<y5>${YEAR})(?![\\w/-]|[.,]\\d)`,
  ].join('|'),
  'gi',
);
/** A year alone that is further away is more likely a number. */
const YEARS_AHEAD = 20;

/** The dates in a text whose first moment is after `limit`, as they are written there, each once. */
export function laterDates(text: string, limit: number): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(FORMS)) {
    const groups = match.groups ?? {};
    const [year, month, day] = ['y', 'm', 'd'].map((part) => partOf(groups, part));
    const name = MONTHS.indexOf((groups['n2'] ?? groups['n3'] ?? '').slice(0, 3).toLowerCase());
    const at = Date.UTC(Number(year), name >= 0 ? name : Number(month ?? 1) - 1, Number(day ?? 1));
    const isFar = groups['y5'] !== undefined && Number(year) > new Date(limit).getUTCFullYear() + YEARS_AHEAD;
    if (at > limit && !isFar) found.add(match[0]);
  }
  return [...found];
}

const partOf = (groups: Record<string, string | undefined>, part: string): string | undefined =>
  Object.entries(groups).find(([name, value]) => name.startsWith(part) && value !== undefined)?.[1];
