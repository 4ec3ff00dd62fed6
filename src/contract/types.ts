// The requests and answers as programs see them. Whoever installs the package has no zod, so the build prints these
// types in plain TypeScript for them (`scripts/reference/contract-types.ts`).
import type { z } from 'zod';
import type { answerContract } from './answer.ts';
import type { Contract } from './contract.ts';
import type { crawlContract, crawlJobContract, mapContract } from './crawl.ts';

export type { CrawlResultLine } from './crawl.ts';
import type { extractContract, extractHit } from './extract.ts';
import type {
  report,
  researchContract,
  researchSessionContract,
  session,
  verifyQuoteContract,
} from './research.ts';
import type { searchContract, searchHit } from './search.ts';

export type SearchHit = z.output<typeof searchHit>;
export type ExtractHit = z.output<typeof extractHit>;
export type ResearchReport = z.output<typeof report>;
export type ResearchSession = z.output<typeof session>;

export type SearchRequest = RequestOf<typeof searchContract>;
export type SearchOutput = OutputOf<typeof searchContract>;
export type ExtractRequest = RequestOf<typeof extractContract>;
export type ExtractOutput = OutputOf<typeof extractContract>;
export type AnswerRequest = RequestOf<typeof answerContract>;
export type AnswerOutput = OutputOf<typeof answerContract>;
export type CrawlRequest = RequestOf<typeof crawlContract>;
export type CrawlOutput = OutputOf<typeof crawlContract>;
export type CrawlJobRequest = RequestOf<typeof crawlJobContract>;
export type CrawlJobAnswer = OutputOf<typeof crawlJobContract>;
export type MapRequest = RequestOf<typeof mapContract>;
export type MapOutput = OutputOf<typeof mapContract>;
export type ResearchRequest = RequestOf<typeof researchContract>;
export type ResearchOutput = OutputOf<typeof researchContract>;
export type ResearchSessionRequest = RequestOf<typeof researchSessionContract>;
export type ResearchSessionOutput = OutputOf<typeof researchSessionContract>;
export type VerifyQuoteRequest = RequestOf<typeof verifyQuoteContract>;
export type VerifyQuoteOutput = OutputOf<typeof verifyQuoteContract>;

type OutputOf<Of extends Contract> = z.output<Of['output']>;

/**
 * A request as it is after reading, because what a lenient field accepts beyond that is for machines, not for programs. Fields
 * with a default may be left out.
 */
type RequestOf<Of extends Contract> = Optional<z.output<Of['input']>, OptionalKeys<z.input<Of['input']>>>;
type OptionalKeys<Input> = { [Key in keyof Input]-?: {} extends Pick<Input, Key> ? Key : never }[keyof Input];
type Optional<Output, Keys extends PropertyKey> = Omit<Output, Keys> &
  Partial<Pick<Output, Keys & keyof Output>>;
