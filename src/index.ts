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
import { createEngine, homeOf } from './engine/engine.ts';
import type { AddRequest } from './operations/library/add.ts';
import type { AddControl, AddedReport } from './operations/library/added.ts';
import type { Operation } from './operations/operation.ts';
import type { Library } from './library/library.ts';
import { createCall, perform, readingTimeoutMs, type CallOptions } from './operations/perform.ts';
import { plan } from './operations/plan.ts';
import type { Plan } from './routing/price-chain.ts';
import type { ResearchEvent } from './contract/research-event.ts';
import { agentTools } from './toolsets/agent-tools.ts';
import type { BoundTool } from './toolsets/bind.ts';
import { load } from './toolsets/load.ts';

export { HeadgateError } from './core/errors.ts';
export { agentTools };
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
  /** The tools that MCP clients see, as `headgate/tools` takes them; the names are those of `--tools`. */
  agentTools(toolset?: string): Promise<BoundTool[]>;
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
  // `headgate record -- node agent.js` must reach an engine that reads nothing else of the environment.
  // oxlint-disable-next-line node/no-process-env
  const wrapper = Object.entries(process.env).filter(([name]) => name.startsWith('HEADGATE_WEB__'));
  const { config } = loadConfig({
    env: { ...options.env, ...Object.fromEntries(wrapper) },
    flags: options.config ?? {},
  });
  const { services, close } = createEngine(config, {
    log: options.log ?? silentLogger,
    path: options.env?.['PATH'],
    home: options.home ?? homeOf(options.env ?? {}),
  });
  const method =
    <Output>(operation: () => Promise<Operation<never, Output>>): Method<unknown, Output> =>
    async (request, settings) => {
      const call = createCall(services, settings);
      try {
        return await perform(await operation(), request, { call, services });
      } finally {
        call.end();
      }
    };
  const web: Headgate = {
    search: method(load.search),
    extract: (request, settings) => {
      const { length } = [request.urls].flat();
      const timeoutMs = readingTimeoutMs(length, config.search.timeout_ms);
      return method(load.extract)(request, { timeoutMs, ...settings });
    },
    answer: method(load.answer),
    crawl: method(load.crawl),
    map: method(load.map),
    plan: async (operation, request, settings) =>
      plan(await load[operation](), request, { call: createCall(services, settings), services }),
    research: async (request, settings) =>
      perform(await load.research(), request, { call: createCall(services, long(settings)), services }),
    researchEvents: async function* researchEvents(request, settings) {
      const research = await import('./research/research.ts');
      yield* research.researchEvents(request, { call: createCall(services, long(settings)), services });
    },
    researchSession: method(load.researchSession),
    verifyQuote: method(load.verifyQuote),
    library: {
      ...services.library,
      add: async (request, control = {}) => {
        const { addToLibrary } = await import('./operations/library/add.ts');
        return addToLibrary(request, control, services);
      },
    },
    healthCheck: async (provider, capability = 'search') => {
      const { healthCheck } = await import('./operations/health.ts');
      return healthCheck(provider, capability, services);
    },
    agentTools: (toolset) =>
      agentTools(services.enter === undefined ? web : { ...web, enter: services.enter }, toolset),
    close,
  };
  return web;
}

/** Research has a time of its own in its request; the call around it must not be shorter. */
const long = (settings: CallOptions = {}): CallOptions => ({
  timeoutMs: LIMITS.researchStreamMs,
  ...settings,
});
