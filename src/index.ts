import type { z } from 'zod';
import { loadConfig } from './config/load.ts';
import type { answerContract, AnswerOutput } from './contract/answer.ts';
import type { crawlContract, CrawlOutput, mapContract, MapOutput } from './contract/crawl.ts';
import type { extractContract, ExtractOutput } from './contract/extract.ts';
import type { searchContract, SearchOutput } from './contract/search.ts';
import { silentLogger, type Logger } from './core/log.ts';
import { createEngine } from './headgate.ts';
import { answer } from './operations/answer.ts';
import { crawl, map } from './operations/crawl/crawl.ts';
import { extract } from './operations/extract.ts';
import { healthCheck } from './operations/health.ts';
import type { Operation } from './operations/operation.ts';
import { createCall, perform, type CallOptions } from './operations/perform.ts';
import { plan, type Plan } from './operations/plan.ts';
import { search } from './operations/search.ts';

export { HeadgateError } from './core/errors.ts';
export { tavilyTools } from './tools/tavily-ja.ts';
export type { Outcome } from './core/outcome.ts';
export type { Plan };
export type { AnswerOutput, CrawlOutput, ExtractOutput, MapOutput, SearchOutput };

export type SearchRequest = z.input<typeof searchContract.input>;
export type ExtractRequest = z.input<typeof extractContract.input>;
export type AnswerRequest = z.input<typeof answerContract.input>;
export type CrawlRequest = z.input<typeof crawlContract.input>;
export type MapRequest = z.input<typeof mapContract.input>;

export interface HeadgateOptions {
  /** Configuration as in `headgate.toml`, flat: `{ 'providers.tavily.api_key': '…' }`. */
  config?: Record<string, unknown>;
  /** Where keys such as `TAVILY_API_KEY` are looked for; nothing is read from the process by itself. */
  env?: Record<string, string | undefined>;
  /** Hears what goes on; silent by default. */
  log?: Logger;
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
  /** One minimal call: whether a provider answers. Never throws. */
  healthCheck(provider: string, capability?: 'search' | 'extract'): Promise<boolean>;
  close(): Promise<void>;
}

/** The engine for programs: `const web = createHeadgate(); await web.search({ query })`. Call `close()` when done. */
export function createHeadgate(options: HeadgateOptions = {}): Headgate {
  const { config } = loadConfig({ env: options.env ?? {}, flags: options.config ?? {} });
  const { services, close } = createEngine(config, { log: options.log ?? silentLogger });
  const method =
    <Output>(operation: Operation<never, Output>): Method<unknown, Output> =>
    (request, settings) =>
      perform(operation, request, createCall(services, settings), services);
  return {
    search: method(search),
    extract: method(extract),
    answer: method(answer),
    crawl: method(crawl),
    map: method(map),
    plan: (operation, request, settings) => {
      const chosen = operation === 'search' ? search : extract;
      return plan(chosen, request, createCall(services, settings), services);
    },
    healthCheck: (provider, capability = 'search') => healthCheck(provider, capability, services),
    close,
  };
}
