import type { ExtractQuery, SearchQuery } from '../../core/query.ts';
import type { OwnText } from '../../core/text.ts';
import type { Provider, SearchAdapter, Signal, SimulatedCall } from '../provider.ts';
import type { ReadRefusal } from './signals.ts';
import type { Abilities, Wanted } from './wanted.ts';

/** The parameters of a request: a JSON body, or the query of the address. Undefined ones are left out. */
export type WebParameters = Record<string, unknown>;
export type WebSettings = Record<string, string>;

/** Where the fields of a result are, as paths (`title|name`). */
export interface WebFields {
  url: string;
  title?: string;
  snippet?: string;
  /** The text of the page. */
  content?: string;
  published?: string;
  favicon?: string;
  image?: string;
}

export interface WebEndpoint {
  /** Below the base URL. */
  path: string | ((query: SearchQuery, key: string | undefined) => string);
  /** The setting with another base URL. */
  base?(key: string | undefined): string;
  method?: 'GET' | 'POST' | ((query: SearchQuery) => 'GET' | 'POST');
  /** True when the body is a list with one entry. */
  inList?: boolean;
  headers?: Record<string, string>;
  /** Changes the address, for APIs with a host for each language or an ID in the path. */
  place?(url: URL, query: SearchQuery): void;
  /** The body of a good answer in the simulator. */
  simulate(call: SimulatedCall): unknown;
}

export interface WebSearch extends WebEndpoint, Omit<Abilities, 'title'> {
  send(wanted: Wanted, settings: WebSettings, key: string | undefined): WebParameters;
  /** The list of results; of several (`news+web`), one after the other. */
  list: string | ((query: SearchQuery) => string);
  /** A field of answers that leave an empty list out. */
  listMayMiss?: string;
  fields: WebFields;
  /** The list of results where no path leads to it. */
  rows?(answer: unknown): unknown;
  /** The rank of a result, for answers in another order. */
  order?(row: unknown): number;
  /** Makes the fields of a result where they have to be computed; `url` is that of the request. */
  row?(row: unknown, url: URL): unknown;
  /** The address of the second request of a search that needs two, below the base URL; see `SearchAdapter.follow`. */
  follow?(answer: unknown, sent: URL): { path: string; parameters: WebParameters } | undefined;
  /** Keeps the results that are pages. */
  only?(row: unknown): boolean;
  /** True when titles and snippets contain HTML. */
  isHtml?: boolean;
  /** The parameter that counts pages or results: its first value, its step (`count` for the number of results), and the last one. */
  paging?: { field: string; first: number; step: number | 'count'; last?: number; more?: string };
  /** Where a good answer says how many seconds to wait before the next request. */
  restSeconds?: string;
  /** What one request costs in credits; 1 when absent. */
  cost?(query: SearchQuery): number;
  /** The credits that an answer reports. */
  credits?(answer: unknown): number | undefined;
  supports?: SearchAdapter<WebSettings>['supports'];
  needsKey?: SearchAdapter<WebSettings>['needsKey'];
}

export interface WebExtract extends WebEndpoint {
  path: string;
  urlsMax: number;
  send(query: ExtractQuery, settings: WebSettings): WebParameters;
  /** The list of pages; without it the answer is one page. */
  list?: string;
  fields: Omit<WebFields, 'url'> & { url?: string; content: string };
  /** The HTTP status that the page answered with. */
  pageStatus?: string;
  /** The list of pages that could not be read, with the URL of each. */
  failed?: { list: string; url: string; status?: string };
  /** An error of the whole answer that is about the page. */
  unreadable?: { status: number; when: RegExp };
  /** Credits for each page; 1 when absent. */
  costPerPage?: number;
}

interface WebAccount {
  path: string;
  /** The number of what is left. */
  left: string;
  unit: OwnText;
  simulate(): unknown;
}

/** An API over HTTP and JSON in a few declarations; `defineWebApi` makes the provider card of it. */
export interface WebApi extends Pick<
  Provider,
  | 'id'
  | 'title'
  | 'homepage'
  | 'keys'
  | 'keyVariable'
  | 'keyPrefix'
  | 'paceMs'
  | 'creditPrice'
  | 'auth'
  | 'topic'
  | 'limits'
  | 'unverified'
> {
  baseUrl: string;
  /** Further addresses: setting → default. */
  bases?: Record<string, string>;
  /** Further settings: their values, the default first. */
  choices?: Record<string, readonly [string, ...string[]]>;
  signals: readonly Signal[];
  refusal?: ReadRefusal;
  /** Reads a body that is not JSON. */
  decode?(body: string): unknown;
  account?: WebAccount;
  search?: WebSearch;
  extract?: WebExtract;
}
