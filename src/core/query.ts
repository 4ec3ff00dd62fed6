export const SEARCH_DEPTHS = ['basic', 'advanced', 'fast', 'ultra-fast'] as const;
export const TOPICS = ['general', 'news', 'finance'] as const;
/** Topics with sources of their own. The order is that of the trained weights. */
const SOURCE_TOPICS = [
  'encyclopaedia',
  'programming',
  'software',
  'science',
  'medicine',
  'books',
  'security',
] as const;
/** The topics that a call can name: of providers, `auto` for what the query is about, and those with sources of their own. */
export const TOPIC_WORDS = [...TOPICS, 'auto', ...SOURCE_TOPICS] as const;
export const TIME_RANGES = ['day', 'week', 'month', 'year'] as const;

export type SearchDepth = (typeof SEARCH_DEPTHS)[number];
export type Topic = (typeof TOPICS)[number];
export type TopicWord = (typeof TOPIC_WORDS)[number];
export type TimeRange = (typeof TIME_RANGES)[number];
export type ContentFormat = 'markdown' | 'text';

/** A search request to a provider, in our own names. An absent field was not set by anybody. */
export interface SearchQuery {
  text: string;
  resultsMax: number;
  depth?: SearchDepth;
  topic?: Topic;
  timeRange?: TimeRange;
  /** `YYYY-MM-DD` */
  startDate?: string;
  endDate?: string;
  /** The day of the call, for search engines that only support ranges up to now. */
  today?: string;
  includeAnswer?: 'basic' | 'advanced';
  includeRawContent?: ContentFormat;
  includeImages?: boolean;
  includeImageDescriptions?: boolean;
  includeFavicon?: boolean;
  includeDomains?: string[];
  excludeDomains?: string[];
  includeDomainsMode?: 'restrict' | 'prefer';
  /** ISO 3166-1 alpha-2, lower case. */
  country?: string;
  /** ISO 639-1. */
  language?: string;
  filterByLanguage?: boolean;
  includePublishedDate?: boolean;
  filterByPublishedDate?: boolean;
  chunksPerSource?: number;
  /** Of the content of all results together; the operation sees to it, not the provider. */
  tokensMax?: number;
  autoParameters?: boolean;
  exactMatch?: boolean;
  safeSearch?: boolean;
}

/** An extract request to a provider. */
export interface ExtractQuery {
  urls: string[];
  query?: string;
  chunksPerSource?: number;
  depth?: 'basic' | 'advanced';
  format: ContentFormat;
  includeImages?: boolean;
  includeFavicon?: boolean;
  timeoutMs?: number;
}

/** A crawl or map request to a provider that walks the site itself. */
export interface SiteQuery {
  url: string;
  instructions?: string;
  maxDepth: number;
  maxBreadth: number;
  pagesMax: number;
  selectPaths?: string[];
  selectDomains?: string[];
  excludePaths?: string[];
  excludeDomains?: string[];
  allowExternal: boolean;
  timeoutMs: number;
  /** The fields below apply to reading pages, not to listing them. */
  chunksPerSource?: number;
  depth?: 'basic' | 'advanced';
  format?: ContentFormat;
  includeImages?: boolean;
  includeFavicon?: boolean;
}

/** What a query can be about. */
export const INTENTS = ['general', ...SOURCE_TOPICS] as const;
export type Intent = (typeof INTENTS)[number];
