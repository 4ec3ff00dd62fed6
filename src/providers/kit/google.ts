import type { Wanted } from './wanted.ts';

/** `YYYY-MM-DD` as Google and its resellers write it. */
export const americanDate = (date: string): string => date.replace(/^(\d+)-(\d+)-(\d+)$/, '$2/$3/$1');

/** Google's `tbs` for a query's dates or range. */
export function googleDates({ query, start, end, range }: Wanted): string | undefined {
  if (query.startDate === undefined && query.endDate === undefined)
    return range === undefined ? undefined : `qdr:${range.charAt(0)}`;
  const from = start === undefined ? [] : [`cd_min:${americanDate(start)}`];
  const to = end === undefined ? [] : [`cd_max:${americanDate(end)}`];
  return ['cdr:1', ...from, ...to].join(',');
}
