import { loadConfig } from './config/load.ts';
import type {
  AnswerOutput,
  AnswerRequest,
  CrawlOutput,
  CrawlRequest,
  ExtractOutput,
  ExtractRequest,
  MapOutput,
  MapRequest,
  ResearchOutput,
  ResearchRequest,
  ResearchSessionOutput,
  ResearchSessionRequest,
  SearchOutput,
  SearchRequest,
  VerifyQuoteOutput,
  VerifyQuoteRequest,
} from './contract/types.ts';
import { LIMITS } from './core/limits.ts';
import { silentLogger, type Logger } from './core/log.ts';
import { createEngine, homeOf } from './headgate.ts';
import { answer } from './operations/answer/answer.ts';
import { crawl, map } from './operations/crawl/crawl.ts';
import { extract, readingTimeoutMs } from './operations/extract/extract.ts';
import { healthCheck } from './operations/asking/health.ts';
import { addToLibrary, type AddRequest } from './operations/library/add.ts';
import type { AddControl, AddedReport } from './operations/library/added.ts';
import type { Operation } from './operations/operation.ts';
import type { Library } from './operations/services.ts';
import { createCall, perform, type CallOptions } from './operations/perform.ts';
import { plan } from './operations/plan.ts';
import type { Plan } from './operations/asking/price-chain.ts';
import type { ResearchEvent } from './operations/research/events.ts';
import { research, researchEvents, researchSession } from './operations/research/research.ts';
import { verifyQuote } from './operations/research/verify-quote.ts';
import { search } from './operations/search/search.ts';

export { HeadgateError } from './core/errors.ts';
export { tavilyTools } from './tools/tavily-ja.ts';
export type { Outcome } from './core/outcome.ts';
export type { Plan };
export type { AddControl, AddedReport, AddRequest };
export type * from './contract/types.ts';
export type { CallOptions, Logger, ResearchEvent };

export interface HeadgateOptions {
  /** Configuration as in `headgate.toml`, flat: `{ 'providers.tavily.api_key': '…' }`. */
  config?: Record<string, unknown>;
  /** Where keys such as `TAVILY_API_KEY` are looked for; nothing is read from the process by itself. */
  env?: Record<string, string | undefined>;
  /** Hears what goes on; silent by default. */
  log?: Logger;
  /** Where research sessions and the library are kept; by default `HEADGATE_HOME` of `env`, else `.headgate` in the home folder. */
  home?: string;
}

type Method<Request, Output> = (request: Request, settings?: CallOptions) => Promise<Output>;

/** Every operation as a method. Failures are `HeadgateError`s that say what to do next. */
export interface Headgate {
  search: Method<SearchRequest, SearchOutput>;
  extract: Method<ExtractRequest, ExtractOutput>;
  answer: Method<AnswerRequest, AnswerOutput>;
  crawl: Method<CrawlRequest, CrawlOutput>;
  map: Method<MapRequest, MapOutput>;
  /** What a search or a reading would do and cost at most, without doing it. */
  plan(
    operation: 'search' | 'extract',
    request: SearchRequest | ExtractRequest,
    settings?: CallOptions,
  ): Promise<Plan>;
  /** Waits for the report; with `background` it only begins. */
  research: Method<ResearchRequest, ResearchOutput>;
  /** What happens in a research, as it happens; the last event is `done`. Who stops listening cancels it. */
  researchEvents(request: ResearchRequest, settings?: CallOptions): AsyncIterable<ResearchEvent>;
  /** Status, report, list, resume, cancel or delete research. */
  researchSession: Method<ResearchSessionRequest, ResearchSessionOutput>;
  verifyQuote: Method<VerifyQuoteRequest, VerifyQuoteOutput>;
  /** The local index of this machine; what is added is also found by searches with `provider: 'local'`. */
  library: HeadgateLibrary;
  /** One minimal call: whether a provider answers. Never throws. */
  healthCheck(provider: string, capability?: 'search' | 'extract'): Promise<boolean>;
  close(): Promise<void>;
}

/** The local index. */
export interface HeadgateLibrary extends Pick<
  Library,
  'search' | 'remove' | 'list' | 'stats' | 'compact' | 'rebuild'
> {
  /** Adds a path, or an http(s) address of a page, a site or a sitemap. */
  add(request: AddRequest, control?: AddControl): Promise<AddedReport>;
}

/** The engine for programs: `const web = createHeadgate(); await web.search({ query })`. Call `close()` when done. */
export function createHeadgate(options: HeadgateOptions = {}): Headgate {
  const { config } = loadConfig({ env: options.env ?? {}, flags: options.config ?? {} });
  const { services, close } = createEngine(config, {
    log: options.log ?? silentLogger,
    path: options.env?.['PATH'],
    home: options.home ?? homeOf(options.env ?? {}),
  });
  const method =
    <Output>(operation: Operation<never, Output>): Method<unknown, Output> =>
    (request, settings) => {
      const call = createCall(services, settings);
      return perform(operation, request, call, services).finally(() => call.end());
    };
  return {
    search: method(search),
    extract: (request, settings) => {
      const { length } = [request.urls].flat();
      const timeoutMs = readingTimeoutMs(length, config.search.timeout_ms);
      return method(extract)(request, { timeoutMs, ...settings });
    },
    answer: method(answer),
    crawl: method(crawl),
    map: method(map),
    plan: (operation, request, settings) => {
      const chosen = operation === 'search' ? search : extract;
      return plan(chosen, request, createCall(services, settings), services);
    },
    research: (request, settings) =>
      perform(research, request, createCall(services, long(settings)), services),
    researchEvents: (request, settings) =>
      researchEvents(request, createCall(services, long(settings)), services),
    researchSession: method(researchSession),
    verifyQuote: method(verifyQuote),
    library: {
      ...services.library,
      add: (request, control = {}) => addToLibrary(request, control, services),
    },
    healthCheck: (provider, capability = 'search') => healthCheck(provider, capability, services),
    close,
  };
}

/** Research has a time of its own in its request; the call around it must not be shorter. */
const long = (settings: CallOptions = {}): CallOptions => ({
  timeoutMs: LIMITS.researchStreamMs,
  ...settings,
});
