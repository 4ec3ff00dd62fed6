import type * as printed from '../contract/types.ts';
import type { Call } from '../core/call.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { callNonce } from '../core/ids.ts';
import type { EnterScope } from '../core/scope.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import type { Voiced } from '../core/text.ts';
import { builtinReader } from '../providers/builtin.ts';
import { fitText, type FitOptions, type FittedText } from '../rank/fit.ts';
import { countTokens } from '../rank/tokens.ts';
import { load } from './load.ts';
import { perform } from '../operations/perform.ts';
import { resolveSearchParameters, type SearchParameters } from '../research/parameters.ts';
import type { Services } from '../operations/services.ts';

/** The extract fields that the configuration may set. */
export interface ExtractParameters {
  extract_depth?: 'basic' | 'advanced' | undefined;
  include_images?: boolean | undefined;
  provider?: string | string[] | undefined;
}

/** The operations that tools use, and their outputs. */
interface Outputs {
  search: printed.SearchOutput;
  extract: printed.ExtractOutput;
  answer: printed.AnswerOutput;
  crawl: printed.CrawlOutput;
  map: printed.MapOutput;
  research: printed.ResearchOutput;
  researchSession: printed.ResearchSessionOutput;
  verifyQuote: printed.VerifyQuoteOutput;
}

/** A method type, so that an engine may declare narrower inputs. */
type Perform<Output> = { run(input: Record<string, unknown>, call: Call): Promise<Output> }['run'];

/** What tools know of the engine; tests and other programs can pass their own. */
export interface ToolEngine extends Operations {
  countTokens(text: string): Promise<number>;
  fitText(text: string, options: FitOptions): Promise<FittedText>;
  /** Fills in unset fields: configuration first, then the default of the mode (research spec 6.1). */
  searchParameters(explicit: SearchParameters): SearchParameters;
  extractParameters(explicit: ExtractParameters): ExtractParameters;
  /** Whether a provider is set up. */
  isReady(provider: string): boolean;
  /** An unguessable ID. */
  nonce(): string;
  clock: Clock;
  log: Logger;
  /** Runs a tool as one call of a run that is recorded or replayed. */
  enter?: EnterScope;
}

type Operations = { [Name in keyof Outputs]: Perform<Voiced<Outputs[Name]>> };
type Performers = { [Name in keyof Outputs]: Perform<Outputs[Name]> };

/** The minimum that an engine needs; `createHeadgate()` has it. */
export type ToolDeps = Pick<Performers, 'search' | 'extract'> &
  Partial<Performers> &
  Partial<Omit<ToolEngine, keyof Outputs>>;

/** Creates an engine from its two essential functions. */
export const createToolEngine = (deps: ToolDeps): ToolEngine => ({
  answer: missing('look things up'),
  crawl: missing('crawl'),
  map: missing('map'),
  research: missing('research'),
  researchSession: missing('research'),
  verifyQuote: missing('check quotes'),
  countTokens,
  fitText,
  searchParameters: (explicit) => explicit,
  extractParameters: (explicit) => explicit,
  isReady: () => false,
  nonce: callNonce,
  clock: systemClock,
  log: silentLogger,
  // Another program's engine is used as it is.
  ...(deps as Pick<ToolEngine, 'search' | 'extract'>),
});

/** An engine that failed to start: every call fails with the reason. */
export function createFailedEngine(error: HeadgateError): ToolEngine {
  const fail = (): Promise<never> => Promise.reject(error);
  return createToolEngine({
    search: fail,
    extract: fail,
    answer: fail,
    crawl: fail,
    map: fail,
    research: fail,
    researchSession: fail,
    verifyQuote: fail,
  });
}

const missing = (action: string) => (): Promise<never> =>
  Promise.reject(new HeadgateError('not_configured', own`This engine cannot ${named(action)}.`));

/** The engine for tools, from the services. */
export function engineOf(services: Services): ToolEngine {
  const { research: settings, extract: reading } = services.config;
  const isReady = (provider: string): boolean =>
    (services.isolated?.(services) ?? services).providers.some((ready) => ready.provider.id === provider);
  return createToolEngine({
    // A tool that does not name the library does not show what it has.
    search: async (input, call) =>
      perform(await load.search(), { library: 'never', ...input }, { call, services }),
    extract: async (input, call) => perform(await load.extract(), input, { call, services }),
    answer: async (input, call) => perform(await load.answer(), input, { call, services }),
    crawl: async (input, call) => perform(await load.crawl(), input, { call, services }),
    map: async (input, call) => perform(await load.map(), input, { call, services }),
    research: async (input, call) => perform(await load.research(), input, { call, services }),
    researchSession: async (input, call) => perform(await load.researchSession(), input, { call, services }),
    verifyQuote: async (input, call) => perform(await load.verifyQuote(), input, { call, services }),
    searchParameters: (explicit) => resolveSearchParameters(explicit, settings, settings.deep_research_mode),
    extractParameters: (explicit) => ({
      extract_depth: explicit.extract_depth ?? settings.tavily_extract_depth,
      include_images: explicit.include_images ?? settings.tavily_extract_include_images,
      // Tavily reads if it has a key and no readers are configured; the built-in reader is the fallback.
      ...(reading.provider.join() === builtinReader.id && isReady('tavily')
        ? { provider: ['tavily', builtinReader.id] }
        : {}),
    }),
    isReady,
    clock: services.clock,
    log: services.log,
    ...(services.enter === undefined ? {} : { enter: services.enter }),
  });
}
