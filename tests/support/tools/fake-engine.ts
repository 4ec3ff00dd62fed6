import type { AnswerOutput } from '../../../src/contract/answer.ts';
import { crawlContract, mapContract, type CrawlOutput, type MapOutput } from '../../../src/contract/crawl.ts';
import { extractContract, type ExtractHit, type ExtractOutput } from '../../../src/contract/extract.ts';
import { parseInput } from '../../../src/contract/parse.ts';
import {
  researchContract,
  researchSessionContract,
  verifyQuoteContract,
  type ResearchOutput,
  type ResearchSessionOutput,
  type VerifyQuoteOutput,
} from '../../../src/contract/research.ts';
import { searchContract, type SearchHit, type SearchOutput } from '../../../src/contract/search.ts';
import type * as printed from '../../../src/contract/types.ts';
import type { Call } from '../../../src/core/call.ts';
import { createTestClock } from '../clock.ts';
import type { LogFields, Logger } from '../../../src/core/log.ts';
import { fitText } from '../../../src/rank/fit.ts';
import { countTokens } from '../../../src/rank/tokens.ts';
import type { ToolEngine } from '../../../src/toolsets/engine.ts';
import type { ToolResult, Toolset } from '../../../src/toolsets/tool.ts';

/** An engine that answers what a test says, checks inputs against the real contracts, and remembers what it was asked. */

export interface Asked {
  operation:
    | 'search'
    | 'extract'
    | 'answer'
    | 'crawl'
    | 'map'
    | 'research'
    | 'researchSession'
    | 'verifyQuote';
  input: Record<string, unknown>;
}

export interface FakeEngine extends ToolEngine {
  asked: Asked[];
  logged: { level: string; event: string; fields: LogFields }[];
}

const account = {
  outcome: 'ok' as const,
  attempts: [{ provider: 'tavily', ms: 12, outcome: 'ok' as const }],
  warnings: [],
  response_time: 0.1,
  request_id: 'req-1',
};

export const hit = (change: Partial<SearchHit> = {}): SearchHit => ({
  url: 'https://harbour.example/tides',
  title: 'Harbour Office',
  content: 'High and low water for the week.',
  score: 0.987,
  raw_content: null,
  provider: 'tavily',
  trust: 'untrusted_web',
  ...change,
});

export const found = (results: SearchHit[], change: Partial<printed.SearchOutput> = {}): SearchOutput =>
  ({
    query: 'tides',
    answer: null,
    images: [],
    results,
    cached: false,
    credits: 1,
    ...account,
    ...change,
  }) as SearchOutput;

export const page = (change: Partial<printed.ExtractHit> = {}): ExtractHit =>
  ({
    url: 'https://harbour.example/tides',
    title: 'Tides',
    raw_content: '# Tides\n\nHigh water at six.',
    images: [],
    outcome: 'ok',
    truncated: false,
    provider: 'tavily',
    trust: 'untrusted_web',
    ...change,
  }) as ExtractHit;

export const read = (results: ExtractHit[], change: Partial<printed.ExtractOutput> = {}): ExtractOutput =>
  ({
    results,
    failed_results: [],
    credits: 1,
    ...account,
    ...change,
  }) as ExtractOutput;

export const looked = (change: Partial<printed.AnswerOutput> = {}): AnswerOutput =>
  ({
    query: 'tide',
    heading: '',
    facts: [],
    related: [],
    results: [],
    cached: false,
    ...account,
    ...change,
  }) as AnswerOutput;

type Scripted<Output> = Output | Error | ((input: Record<string, unknown>, call: Call) => Output);

export function fakeEngine(
  script: {
    search?: Scripted<SearchOutput>;
    extract?: Scripted<ExtractOutput>;
    answer?: Scripted<AnswerOutput>;
    crawl?: Scripted<CrawlOutput>;
    map?: Scripted<MapOutput>;
    research?: Scripted<ResearchOutput>;
    researchSession?: Scripted<ResearchSessionOutput>;
    verifyQuote?: Scripted<VerifyQuoteOutput>;
    ready?: string[];
    nonce?: () => string;
  } = {},
): FakeEngine {
  const asked: Asked[] = [];
  const logged: FakeEngine['logged'] = [];
  const play = <Output>(
    scripted: Scripted<Output> | undefined,
    input: Record<string, unknown>,
    call: Call,
  ) => {
    if (scripted === undefined) throw new Error('This engine was not told what to answer.');
    if (scripted instanceof Error) throw scripted;
    return typeof scripted === 'function'
      ? (scripted as (input: Record<string, unknown>, call: Call) => Output)(input, call)
      : scripted;
  };
  const at =
    (level: string) =>
    (event: string, fields: LogFields = {}) =>
      void logged.push({ level, event, fields });
  const log: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return {
    asked,
    logged,
    search: async (input, call) => {
      asked.push({ operation: 'search', input });
      return play(script.search, parseInput(searchContract.input, input), call);
    },
    extract: async (input, call) => {
      asked.push({ operation: 'extract', input });
      return play(script.extract, parseInput(extractContract.input, input), call);
    },
    answer: async (input, call) => {
      asked.push({ operation: 'answer', input });
      return play(script.answer, input, call);
    },
    crawl: async (input, call) => {
      asked.push({ operation: 'crawl', input });
      return play(script.crawl, parseInput(crawlContract.input, input), call);
    },
    map: async (input, call) => {
      asked.push({ operation: 'map', input });
      return play(script.map, parseInput(mapContract.input, input), call);
    },
    research: async (input, call) => {
      asked.push({ operation: 'research', input });
      return play(script.research, parseInput(researchContract.input, input), call);
    },
    researchSession: async (input, call) => {
      asked.push({ operation: 'researchSession', input });
      return play(script.researchSession, parseInput(researchSessionContract.input, input), call);
    },
    verifyQuote: async (input, call) => {
      asked.push({ operation: 'verifyQuote', input });
      return play(script.verifyQuote, parseInput(verifyQuoteContract.input, input), call);
    },
    searchParameters: (explicit) => explicit,
    extractParameters: (explicit) => explicit,
    countTokens,
    fitText,
    isReady: (provider) => (script.ready ?? []).includes(provider),
    nonce: script.nonce ?? (() => 'f00d'),
    clock: createTestClock(),
    log,
  };
}

export const testCall = (change: Partial<Call> = {}): Call => ({
  requestId: 'req-1',
  caller: {},
  signal: new AbortController().signal,
  deadline: Date.UTC(2030, 0, 1),
  ...change,
});

/** Calls one tool of a set. */
export function run(
  toolset: Pick<Toolset, 'tools'>,
  name: string,
  input: unknown,
  engine: ToolEngine,
): Promise<ToolResult> {
  const tool = toolset.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(input, testCall(), engine);
}
