import type { z } from 'zod';
import type { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { ExtractQuery, SearchQuery, SiteQuery } from '../core/query.ts';
import type { Source, SourceImage } from '../core/source.ts';

/** What a provider made of one response. Failures are thrown as HeadgateError. */
export interface SearchPage {
  /** `empty` only when the provider said so cleanly; a page that parsed to nothing is `degraded` or thrown as blocked. */
  outcome: 'ok' | 'empty' | 'degraded';
  sources: Source[];
  /** Why it is degraded, in words. */
  reason?: OwnText;
  answer?: string;
  images?: SourceImage[];
  /** Parameters that the provider chose by itself. */
  autoParameters?: Record<string, unknown>;
  /** Credits that the provider says it charged. */
  credits?: number;
  warnings?: OwnText[];
  /**
   * The request for more results, when there are more; the runner decides whether to send it, with the headers of the request
   * before under its own, because a page does not know the key.
   */
  next?: HttpRequest;
}

export interface ExtractPage {
  sources: Source[];
  failed: { url: string; error: OwnText }[];
  credits?: number;
  warnings?: OwnText[];
}

/** What Headgate can do by itself over any provider, with the pages behind the results. */
export type OwnParameter = 'depth' | 'chunksPerSource' | 'includeRawContent' | 'includeAnswer';

/** Two pure halves: what to send and what came back. The runner in operations/ owns network, keys, pace and retries. */
export interface SearchHalf<Settings> {
  request(query: SearchQuery, settings: Settings, key: string | undefined): HttpRequest;
  /** Reads a 2xx answer. `found` is how many sources earlier pages of this search gave; scores go on from there. */
  parse(response: HttpResponse, query: SearchQuery, settings: Settings, found?: number): SearchPage;
  /** True when this half needs a key although the provider has another that does not. */
  needsKey?: boolean;
  /** Statuses outside 2xx that `parse` reads itself, for providers that say "nothing found" with an error. */
  reads?: readonly number[];
  /** Longest query the provider takes; longer ones are condensed with a warning. */
  queryCharsMax: number;
  queryWordsMax?: number;
  /** The most credits that this query can cost; 1 when absent. */
  creditsMax?(query: SearchQuery): number;
  /** It gives an order and no scores. */
  ranksOnly?: boolean;
  /** The parameters among these that the provider honours itself; the others are the runner's to do or to warn about. */
  native?: readonly OwnParameter[];
  /**
   * What the provider cannot do with this query, in words: each becomes a warning on the result. It is asked for the
   * query as it is sent (after condensing) and says nothing about the OwnParameters that it does not list as native.
   */
  warnings?(query: SearchQuery): OwnText[];
}

export interface ExtractHalf<Settings> {
  request(query: ExtractQuery, settings: Settings, key: string | undefined): HttpRequest;
  parse(response: HttpResponse, query: ExtractQuery, settings: Settings): ExtractPage;
  /** Statuses outside 2xx that `parse` reads itself, for providers that fail a page with an error. */
  reads?: readonly number[];
  /** How many URLs fit into one request. */
  urlsMax: number;
  /** The most credits that this query can cost; 1 when absent. */
  creditsMax?(query: ExtractQuery): number;
  warnings?(query: ExtractQuery): OwnText[];
}

/** The pages of a site with their content. */
export interface CrawlPage {
  sources: Source[];
  credits?: number;
}

/** The addresses of a site's pages. */
export interface MapPage {
  urls: string[];
  credits?: number;
}

/** A walk through a site that the provider makes itself. */
export interface SiteHalf<Settings, Page> {
  request(query: SiteQuery, settings: Settings, key: string | undefined): HttpRequest;
  parse(response: HttpResponse, query: SiteQuery, settings: Settings): Page;
  /** The most credits that this walk can cost. */
  creditsMax(query: SiteQuery): number;
}

/** A provider is a value: adding one is this file's shape, one line in index.ts and one fixture folder. */
export interface Provider<Settings = Record<string, unknown>> {
  id: string;
  /** The name people know, as it appears in texts. */
  title: OwnText;
  homepage: string;
  /** Settings of `[providers.<id>]`, with defaults; `base_url` is in every one. Keys are configured elsewhere. */
  settings: z.ZodObject;
  /** `required`: unusable without a key; `optional`: better with one; `none`: has no keys. */
  keys: 'required' | 'optional' | 'none';
  /** The well-known environment variable of its key. */
  keyVariable?: OwnText;
  /** The least time between two requests with one key. */
  paceMs: number;
  /** Whether calls cost credits by default. */
  priced: boolean;
  /** Names the failure of an answer; the runner calls it for every status outside 2xx. `now` helps to read Retry-After. */
  fail(response: HttpResponse, now?: number): HeadgateError;
  search?: SearchHalf<Settings>;
  extract?: ExtractHalf<Settings>;
  crawl?: SiteHalf<Settings, CrawlPage>;
  map?: SiteHalf<Settings, MapPage>;
}

/** What a provider can be asked for. */
export const CAPABILITIES = ['search', 'extract', 'crawl', 'map'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Gives a literal its type: the halves see the settings that the schema describes. */
export const defineProvider = <Shape extends z.ZodRawShape>(
  provider: Provider<z.output<z.ZodObject<Shape>>> & { settings: z.ZodObject<Shape> },
): Provider => provider;
