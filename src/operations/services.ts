import type { Config } from '../config/schema.ts';
import type { OwnText } from '../core/text.ts';
import type { ResearchInput, ResearchReport, ResearchSession } from '../contract/research.ts';
import type { Call, Caller } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { Logger } from '../core/log.ts';
import type { Tracer } from '../core/trace.ts';
import type { Extracted } from '../extract/extracted.ts';
import type { Libraries, Library } from '../library/library.ts';
import type { Books } from '../meter/books.ts';
import type { GuardedFetch } from '../net/fetch.ts';
import type { RetryBudget } from '../net/retry-budget.ts';
import type { ModelApi, ModelSettings } from '../models/model.ts';
import type { CrawlSessions } from './crawl/sessions.ts';
import type { KeyRing } from './asking/key-ring.ts';
import type { HealthBook } from './asking/provider-health.ts';
import type { LibraryJobs } from './library/jobs.ts';
import type { KeptPage } from './library/keep.ts';
import type { ReadyProvider } from './asking/ready-provider.ts';
import type { ResearchEvent } from './research/events.ts';
import type { SourceText } from './research/text/source-text.ts';

export type { Library };

/** A model that is set up. */
export interface ReadyModel {
  api: ModelApi;
  settings: ModelSettings;
}

/** Sends one request to a provider's API; answers of any status come back as data. */
export interface Upstream {
  send(
    request: HttpRequest,
    options: { signal: AbortSignal; provider: string; timeoutMs?: number; bytesMax?: number },
  ): Promise<HttpResponse>;
}

export interface Pace {
  wait(key: string, intervalMs: number, signal: AbortSignal): Promise<void>;
}

export interface Breaker {
  run<Value>(key: string, attempt: () => Promise<Value>, turn?: object): Promise<Value>;
  state(key: string): { state: string; reason?: OwnText; retryAt?: number };
}

export interface Cache {
  get(key: string): unknown;
  set(key: string, value: unknown, sizeBytes: number): void;
}

export interface SingleFlight {
  run<Value>(key: string, work: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value>;
}

/** A page as it was fetched. */
export interface PageBytes {
  bytes: Uint8Array;
  /** The `content-type` header, when there was one. */
  contentType?: string;
  url?: string;
}

export interface ReadOptions {
  /** Which links are listed: those of the content, or all of the page. */
  links?: 'content' | 'all';
}

/** A page after its scripts have run. */
export interface RenderedPage {
  html: string;
  url: string;
  warnings: OwnText[];
}

export interface LazyRenderer {
  /** The browser that would be used, if there is one. */
  file(): Promise<string | undefined>;
  render(page: Required<PageBytes>, caller: string, signal: AbortSignal): Promise<RenderedPage>;
}

/** Everything an operation may use, built once by headgate.ts. */
export interface Services {
  config: Config;
  clock: Clock;
  random(): number;
  log: Logger;
  /** Absent unless somebody collects traces. */
  tracer: Tracer | undefined;
  providers: ReadyProvider[];
  keyRing: KeyRing;
  upstream: Upstream;
  /** The only road to addresses that a caller or a page names. */
  fetch: GuardedFetch;
  /** Reads a page's bytes away from the event loop. */
  extract(page: PageBytes, options: ReadOptions, signal: AbortSignal): Promise<Extracted>;
  /** Runs pages' scripts in the Chromium of this machine; nothing is loaded before the first page. */
  renderer: LazyRenderer;
  pace: Pace;
  breaker: Breaker;
  /** How the latest attempts at each provider went. */
  health: HealthBook;
  retryBudget: RetryBudget;
  cache: Cache | undefined;
  flights: SingleFlight;
  /** The local index; nothing is opened before the first call. */
  library: Libraries;
  /** Additions that run in the background. */
  libraryJobs: LibraryJobs;
  /** Puts pages that were read into the caller's library; absent when nobody wants that. */
  keep: ((caller: Caller, pages: KeptPage[]) => void) | undefined;
  /** Walks through sites that can go on. */
  crawls: CrawlSessions;
  /** The language model, when somebody chose one. */
  model: ReadyModel | undefined;
  /** Research that runs in the background, and what is kept of it. */
  research: ResearchSessions;
  /** Absent when nobody set a limit or a budget. */
  meter: Books | undefined;
}

/** Who looks after research sessions. Every call names its caller: one workspace never sees another's. */
export interface ResearchSessions {
  /** Begins a session and returns at once; it goes on until it is done, cancelled, or the engine closes. */
  start(input: ResearchInput, call: Call, services: Services): Promise<ResearchSession>;
  /** Goes on with a session that is not running; finished steps are not repeated. */
  resume(
    id: string,
    changes: { max_iterations?: number; timeout?: number },
    call: Call,
    services: Services,
  ): Promise<ResearchSession>;
  /** Goes on with a session whose process has gone; one that ends its process again and again is left alone. */
  revive(id: string, call: Call, services: Services): Promise<ResearchSession>;
  /** With `counts`, this is one of the checks that agents should not make too often. */
  status(id: string, call: Call, options?: { counts?: boolean }): Promise<ResearchSession>;
  report(id: string, call: Call): Promise<ResearchReport>;
  /** The texts that a session's findings were quoted from. */
  sources(id: string, call: Call): Promise<SourceText[]>;
  list(
    options: { cursor?: string | undefined; limit: number },
    call: Call,
  ): Promise<{ sessions: ResearchSession[]; next_cursor?: string }>;
  cancel(id: string, call: Call): Promise<ResearchSession>;
  delete(id: string, call: Call): Promise<void>;
  /** What happens in a session, until it is done. */
  watch(id: string, call: Call): AsyncGenerator<ResearchEvent>;
  /** Stops what runs; it can be resumed later. */
  close(): Promise<void>;
}
