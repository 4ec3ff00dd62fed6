import type { z } from 'zod';
import type { FailureCode, HeadgateError } from '../core/errors.ts';
import type { Millionths } from '../core/money.ts';
import type { OwnText } from '../core/text.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { Intent, ExtractQuery, SearchQuery, SiteQuery, Topic } from '../core/query.ts';
import type { Source, SourceImage } from '../core/source.ts';

/** The results of one response. Failures are thrown as HeadgateError. */
export interface SearchPage {
  /**
   * `empty` only when the provider clearly said so; a page that parsed to nothing is `degraded` or thrown as
   * blocked.
   */
  outcome: 'ok' | 'empty' | 'degraded';
  sources: Source[];
  /** Why it is degraded. */
  reason?: OwnText;
  answer?: string;
  images?: SourceImage[];
  /** Parameters that the provider chose by itself. */
  autoParameters?: Record<string, unknown>;
  /** The credits that the provider reports. */
  credits?: number;
  warnings?: OwnText[];
  /** How long the provider wants not to be asked again, said in a good answer. */
  restMs?: number;
  /**
   * The request for the next page, if there is one. The runner decides whether to send it, and adds the
   * headers of the previous request, because a page does not know the key.
   */
  next?: HttpRequest;
  /** How a replay found it; the runner sets it. */
  replayed?: 'canonical' | 'frozen';
}

export interface ExtractPage {
  sources: Source[];
  failed: { url: string; error: OwnText }[];
  credits?: number;
  warnings?: OwnText[];
}

/** Parameters that Headgate can implement on top of any provider, by reading the pages behind the results. */
export type DerivedParameter = 'depth' | 'chunksPerSource' | 'includeRawContent' | 'includeAnswer';

/**
 * The adapter for searching: two pure functions that build the request and parse the response. The runner in
 * operations/ does network, keys, pace and retries.
 */
export interface SearchAdapter<Settings> {
  request(query: SearchQuery, settings: Settings, key: string | undefined): HttpRequest;
  /**
   * Parses a 2xx response. `found` is the number of sources from earlier pages of this search; scores
   * continue from there. `sent` is the request that was answered, for providers that page by its body.
   */
  parse(
    response: HttpResponse,
    query: SearchQuery,
    settings: Settings,
    found?: number,
    sent?: HttpRequest,
  ): SearchPage;
  /**
   * The second request of a search that needs two: built from the first response, whose place its response takes. Undefined when
   * the first response is the answer.
   */
  follow?(response: HttpResponse, sent: HttpRequest): HttpRequest | undefined;
  /** True when more results come as further pages. */
  paged?: boolean;
  /** The topics besides `general`. */
  topics?: readonly Topic[];
  /**
   * True when searching needs a key although reading does not. `auto`: it works without one, but is then asked last, and only
   * where nobody set up anything, or when the caller or `[search] keyless` names it.
   */
  needsKey?: boolean | 'auto';
  /** Statuses outside 2xx that `parse` handles, for providers that report "nothing found" as an error. */
  acceptStatus?: readonly number[];
  /** The longest query that the provider accepts; longer ones are condensed, with a warning. */
  queryCharsMax: number;
  queryWordsMax?: number;
  /** The most credits that this query can cost; 1 when absent. */
  creditsMax?(query: SearchQuery): number;
  /** True when the provider returns an order without scores. */
  ranksOnly?: boolean;
  /**
   * The parameters that the provider supports itself; the others are implemented by the runner, or reported.
   */
  supports?: readonly DerivedParameter[];
  /**
   * What the provider cannot do with this query; each becomes a warning of the result. Called with the query
   * as it is sent (after condensing). Does not mention OwnParameters that are not listed as native.
   */
  warnings?(query: SearchQuery): OwnText[];
}

export interface ExtractAdapter<Settings> {
  request(query: ExtractQuery, settings: Settings, key: string | undefined): HttpRequest;
  parse(response: HttpResponse, query: ExtractQuery, settings: Settings, sent?: HttpRequest): ExtractPage;
  /** Statuses outside 2xx that `parse` handles, for providers that report a failed page as an error. */
  acceptStatus?: readonly number[];
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

/** The adapter for crawling or mapping a site at the provider. */
export interface SiteAdapter<Settings, Page> {
  request(query: SiteQuery, settings: Settings, key: string | undefined): HttpRequest;
  parse(response: HttpResponse, query: SiteQuery, settings: Settings): Page;
  /** The most credits that this walk can cost. */
  creditsMax(query: SiteQuery): number;
}

/** Passages to be ranked by how well they answer a query. */
export interface RerankQuery {
  text: string;
  passages: string[];
}

/** The adapter for ranking passages with a model. */
export interface RerankAdapter<Settings> {
  request(query: RerankQuery, settings: Settings, key: string | undefined): HttpRequest;
  /** The scores that were given, with the place of each passage in the request. */
  parse(response: HttpResponse, query: RerankQuery): { index: number; score: number }[];
}

/** The call that says whether a key is good and what is left on it, without a search. */
export interface AccountAdapter<Settings> {
  request(settings: Settings, key: string): HttpRequest;
  /** What is left, in the provider's own unit; undefined when it does not say. */
  left(response: HttpResponse): number | undefined;
  unit: OwnText;
}

/** Where a provider expects its key. `Basic` keys are written as `user:password`. */
export type Auth = { header: string; scheme?: 'Bearer' | 'Basic' } | { query: string };

/** How a provider says that something is wrong. The adapter reads these signals, and the simulator sends them. */
export interface Signal {
  /** What it means; `empty` when the provider reports "nothing found" as an error. */
  means: FailureCode | 'empty';
  status: number;
  /** Matches the provider's error code or message where the status alone is not enough. */
  when?: RegExp;
  /** An example of the body; a string is sent as it is. */
  body: unknown;
  headers?: Record<string, string>;
}

/** A published limit: at most so many requests in any stretch of this length. */
export interface PublishedLimit {
  requests: number;
  perMs: number;
  /** With a key; `Infinity` for a limit of the keyless tier alone. */
  withKey?: number;
}

/** What a source of one topic knows, and what it asks of those who use it. */
export interface TopicSource {
  /** What it is asked about, the most fitting first. */
  intents: readonly Intent[];
  /** False for queries that it cannot look up. */
  suits?(text: string): boolean;
  /** The licence of its texts, and how to credit it. */
  licence: OwnText;
  /** True when the licence demands that results name it. */
  mustCredit?: boolean;
  /** True when its rules ask for the operator's contact in the User-Agent. */
  needsContact?: boolean;
}

/** A page of the simulated web. */
export interface SimulatedPage {
  url: string;
  title: string;
  snippet: string;
  /** ISO 8601, for some pages. */
  date?: string;
}

/** A request to a simulated provider, and the web that it knows. */
export interface SimulatedCall {
  /** The path below `base_url`. */
  path: string;
  /** The JSON body, or the parameters of the address. */
  sent: Record<string, unknown>;
  /** The results for a query: `count` of them, after the first `from`; none where nothing is left. */
  pages(text: unknown, count: unknown, from?: number): SimulatedPage[];
  /** What a page says; undefined when it is gone. */
  read(url: unknown): { title: string; text: string } | undefined;
}

/**
 * Everything about one provider. A new provider is one such object, one line in index.ts and a folder of
 * fixtures.
 */
export interface Provider<Settings = Record<string, unknown>> {
  id: string;
  /** The name for people, as used in texts. */
  title: OwnText;
  homepage: string;
  /**
   * The settings of `[providers.<id>]` with defaults; every one has `base_url`. Keys are configured
   * elsewhere.
   */
  settings(): z.ZodObject;
  /** The settings where nothing is configured; with them the schema is made only when something is. */
  defaults?: Readonly<Record<string, unknown>>;
  /** `required`: unusable without a key; `optional`: better with one; `none`: has no keys. */
  keys: 'required' | 'optional' | 'none';
  /** The environment variable that sets its key. */
  keyVariable?: OwnText;
  /** Where it expects the key; absent when the adapters place it themselves. */
  auth?: Auth;
  /** How its keys begin; `doctor` says so about one that begins otherwise. */
  keyPrefix?: OwnText;
  /** The environment variable that sets its address, for providers that people host themselves. */
  urlVariable?: OwnText;
  /** The least time between two requests with one key. */
  paceMs: number;
  /** What of this card is not from the provider's own documentation or code, and was never seen in a live answer. */
  unverified?: OwnText;
  /** The limits that it publishes; beyond them it is not asked. */
  limits?: readonly PublishedLimit[];
  /** Set for a source of one topic: it is asked about that, and never as a search of the whole web. */
  topic?: TopicSource;
  /** What one credit costs unless the operator says otherwise; 0 is free and not counted. */
  creditPrice: Millionths;
  /**
   * Converts an error response into a failure. Called for every status outside 2xx; `now` is for Retry-After.
   */
  fail(response: HttpResponse, now?: number): HeadgateError;
  /** How it reports errors, in the order in which they are recognised. */
  signals?: readonly Signal[];
  /** The body of a good answer in the simulator; undefined for a path that the provider does not have. */
  simulate?(call: SimulatedCall): unknown;
  /** What it does inside Headgate, without a request to anybody; such a provider has no adapters, keys or address. */
  builtIn?: readonly Capability[];
  account?: AccountAdapter<Settings>;
  search?: SearchAdapter<Settings>;
  extract?: ExtractAdapter<Settings>;
  crawl?: SiteAdapter<Settings, CrawlPage>;
  map?: SiteAdapter<Settings, MapPage>;
  rerank?: RerankAdapter<Settings>;
}

/** The capabilities of providers. */
export const CAPABILITIES = ['search', 'extract', 'crawl', 'map', 'rerank'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What a provider can do. */
export const capabilitiesOf = (provider: Provider): Capability[] =>
  CAPABILITIES.filter(
    (capability) => provider.builtIn?.includes(capability) ?? provider[capability] !== undefined,
  );

/** Infers types: the adapters see the settings that the schema describes. */
export const defineProvider = <Shape extends z.ZodRawShape>(
  provider: Provider<z.output<z.ZodObject<Shape>>> & { settings(): z.ZodObject<Shape> },
): Provider => provider;
