import type * as printed from '../contract/types.ts';
import type { Call } from '../core/call.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { newNonce } from '../core/ids.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import type { Voiced } from '../core/text.ts';
import { answer } from '../operations/answer/answer.ts';
import { ownReader } from '../operations/asking/own-reader.ts';
import { crawl, map } from '../operations/crawl/crawl.ts';
import { extract } from '../operations/extract/extract.ts';
import { countTokens, fitText, type FitOptions, type FittedText } from '../operations/fit.ts';
import { perform } from '../operations/perform.ts';
import { resolveSearchParameters, type SearchParameters } from '../operations/research/parameters.ts';
import { research, researchSession } from '../operations/research/research.ts';
import { verifyQuote } from '../operations/research/verify-quote.ts';
import { search } from '../operations/search/search.ts';
import type { Services } from '../operations/services.ts';

/** The fields of an extraction that the configuration may decide. */
export interface ExtractParameters {
  extract_depth?: 'basic' | 'advanced' | undefined;
  include_images?: boolean | undefined;
  provider?: string | string[] | undefined;
}

/** The operations that tools use, with what they return. */
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

/** All that tools know of the engine; a test or another program hands in its own. Inputs are those of the contracts. */
export interface ToolEngine extends Operations {
  countTokens(text: string): Promise<number>;
  fitText(text: string, options: FitOptions): Promise<FittedText>;
  /** Fills in what nobody set: configuration before the mode's default (research spec 6.1). */
  searchParameters(explicit: SearchParameters): SearchParameters;
  extractParameters(explicit: ExtractParameters): ExtractParameters;
  /** Whether a provider is set up. */
  isReady(provider: string): boolean;
  /** An id that nobody outside can guess. */
  nonce(): string;
  clock: Clock;
  log: Logger;
}

type Operations = { [Name in keyof Outputs]: Perform<Voiced<Outputs[Name]>> };
type Performers = { [Name in keyof Outputs]: Perform<Outputs[Name]> };

/** What an engine cannot do without; `createHeadgate()` has it. */
export type ToolDeps = Pick<Performers, 'search' | 'extract'> &
  Partial<Performers> &
  Partial<Omit<ToolEngine, keyof Outputs>>;

/** An engine from its two essential functions. */
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
  nonce: newNonce,
  clock: systemClock,
  log: silentLogger,
  // The engine of another program speaks for itself.
  ...(deps as Pick<ToolEngine, 'search' | 'extract'>),
});

/** An engine that could not be started: whatever it is asked fails with the reason. */
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

const missing = (deed: string) => (): Promise<never> =>
  Promise.reject(new HeadgateError('not_configured', own`This engine cannot ${named(deed)}.`));

/** The engine as tools see it. */
export function engineOf(services: Services): ToolEngine {
  const { research: settings, extract: reading } = services.config;
  const isReady = (provider: string): boolean =>
    services.providers.some((ready) => ready.provider.id === provider);
  return createToolEngine({
    search: (input, call) => perform(search, input, call, services),
    extract: (input, call) => perform(extract, input, call, services),
    answer: (input, call) => perform(answer, input, call, services),
    crawl: (input, call) => perform(crawl, input, call, services),
    map: (input, call) => perform(map, input, call, services),
    research: (input, call) => perform(research, input, call, services),
    researchSession: (input, call) => perform(researchSession, input, call, services),
    verifyQuote: (input, call) => perform(verifyQuote, input, call, services),
    searchParameters: (explicit) => resolveSearchParameters(explicit, settings, settings.deep_research_mode),
    extractParameters: (explicit) => ({
      extract_depth: explicit.extract_depth ?? settings.tavily_extract_depth,
      include_images: explicit.include_images ?? settings.tavily_extract_include_images,
      // Tavily reads where it has a key, unless the operator has named the readers; we read what it cannot.
      ...(reading.provider.join() === ownReader.id && isReady('tavily')
        ? { provider: ['tavily', ownReader.id] }
        : {}),
    }),
    isReady,
    clock: services.clock,
    log: services.log,
  });
}
