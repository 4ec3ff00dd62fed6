import { countryCode } from '../../core/countries.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { SearchInput } from '../../contract/search.ts';
import { TOPICS, type ContentFormat, type SearchQuery, type TimeRange } from '../../core/query.ts';

const RANGES: Record<string, TimeRange> = { d: 'day', w: 'week', m: 'month', y: 'year' };
const DAY_MS = 86_400_000;

/** Maps wire names to ours, in one place. Unset fields stay absent. */
export function toSearchQuery(input: SearchInput, nowMs: number): SearchQuery {
  checkDates(input);
  return {
    text: input.query,
    resultsMax: input.max_results,
    depth: input.search_depth,
    topic: TOPICS.find((topic) => topic === input.topic),
    timeRange:
      input.time_range === undefined
        ? undefined
        : (RANGES[input.time_range] ?? (input.time_range as TimeRange)),
    startDate: input.start_date ?? startOf(input, nowMs),
    endDate: input.end_date,
    today: new Date(nowMs).toISOString().slice(0, 10),
    includeAnswer:
      input.include_answer === true
        ? 'basic'
        : input.include_answer === false
          ? undefined
          : input.include_answer,
    includeRawContent: rawContent(input.include_raw_content),
    includeImages: input.include_images,
    includeImageDescriptions: input.include_image_descriptions,
    includeFavicon: input.include_favicon,
    includeDomains: some(input.include_domains),
    excludeDomains: some(input.exclude_domains),
    includeDomainsMode: domainsMode(input),
    country: input.country === undefined || input.country === '' ? undefined : countryCode(input.country),
    language: input.language === '' ? undefined : input.language,
    filterByLanguage: input.filter_by_language,
    includePublishedDate: input.include_published_date,
    filterByPublishedDate: input.filter_by_published_date,
    chunksPerSource: input.chunks_per_source,
    tokensMax: input.max_tokens,
    autoParameters: input.auto_parameters,
    exactMatch: input.exact_match,
    safeSearch: input.safe_search,
  };
}

function checkDates(input: SearchInput): void {
  if (input.time_range !== undefined && (input.start_date !== undefined || input.end_date !== undefined)) {
    throw new HeadgateError(
      'invalid_request',
      'When time_range is set, start_date or end_date cannot be set.',
    );
  }
  if (input.start_date !== undefined && input.end_date !== undefined && input.start_date > input.end_date) {
    throw new HeadgateError('invalid_request', 'start_date cannot be after end_date.');
  }
}

/** `days` counts back from today; an explicit range or date takes precedence. */
function startOf(input: SearchInput, nowMs: number): string | undefined {
  if (input.days === undefined || input.time_range !== undefined || input.end_date !== undefined)
    return undefined;
  return new Date(nowMs - input.days * DAY_MS).toISOString().slice(0, 10);
}

function rawContent(value: SearchInput['include_raw_content']): ContentFormat | undefined {
  if (value === true) return 'markdown';
  return value === false ? undefined : value;
}

function domainsMode(input: SearchInput): 'restrict' | 'prefer' | undefined {
  if (input.include_domains_mode === undefined) return undefined;
  return input.include_domains_mode === 'prefer' || input.include_domains_mode === 'boost'
    ? 'prefer'
    : 'restrict';
}

const some = (list: string[] | undefined): string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
