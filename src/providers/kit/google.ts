import type { Wanted } from './wanted.ts';

/** `YYYY-MM-DD` as Google and its resellers write it. */
export const americanDate = (date: string): string => date.replace(/^(\d+)-(\d+)-(\d+)$/, '$2/$3/$1');

/** What resellers of Google's results take. */
export const GOOGLE_TAKES = [
  'country',
  'language',
  'safeSearch',
  'timeRange',
  'startDate',
  'endDate',
  'includeImages',
  'exactMatch',
] as const;

/** Where two of them put Google's results. */
export const GOOGLE_RESULTS = {
  list: 'organic_results|news_results',
  listMayMiss: 'search_metadata',
  fields: {
    url: 'link',
    title: 'title',
    snippet: 'snippet',
    published: 'date',
    favicon: 'favicon',
    image: 'thumbnail',
  },
};

/** The parameters that they share with Google itself. */
export const googleQuery = ({ text, country, language, safeSearch }: Wanted) => ({
  q: text,
  gl: country,
  hl: language,
  safe: safeSearch === undefined ? undefined : safeSearch ? 'active' : 'off',
});

/** Google's `tbs` for a query's dates or range. */
export function googleDates({ query, start, end, range }: Wanted): string | undefined {
  if (query.startDate === undefined && query.endDate === undefined)
    return range === undefined ? undefined : `qdr:${range.charAt(0)}`;
  const from = start === undefined ? [] : [`cd_min:${americanDate(start)}`];
  const to = end === undefined ? [] : [`cd_max:${americanDate(end)}`];
  return ['cdr:1', ...from, ...to].join(',');
}
