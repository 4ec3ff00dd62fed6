import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { answerContract } from './answer.ts';
import type { crawlContract, mapContract } from './crawl.ts';
import type { extractContract } from './extract.ts';
import type { researchContract, researchSessionContract, verifyQuoteContract } from './research.ts';
import type { searchContract } from './search.ts';
import type * as printed from './types.ts';

// The compiler is the test: what is printed for programs is what the schemas check.

test('every answer that a schema lets through has the printed type, and the other way round', () => {
  type Answers = [
    [z.output<typeof searchContract.output>, printed.SearchOutput],
    [z.output<typeof extractContract.output>, printed.ExtractOutput],
    [z.output<typeof answerContract.output>, printed.AnswerOutput],
    [z.output<typeof crawlContract.output>, printed.CrawlOutput],
    [z.output<typeof mapContract.output>, printed.MapOutput],
    [z.output<typeof researchContract.output>, printed.ResearchOutput],
    [z.output<typeof researchSessionContract.output>, printed.ResearchSessionOutput],
    [z.output<typeof verifyQuoteContract.output>, printed.VerifyQuoteOutput],
  ];
  expectTypeOf<Mismatch<Answers>>().toBeNever();
});

test('a request of the printed type is one that the schema takes, and what the schema made of it is one too', () => {
  type Requests = [
    [z.output<typeof searchContract.input>, printed.SearchRequest, z.input<typeof searchContract.input>],
    [z.output<typeof extractContract.input>, printed.ExtractRequest, z.input<typeof extractContract.input>],
    [z.output<typeof answerContract.input>, printed.AnswerRequest, z.input<typeof answerContract.input>],
    [z.output<typeof crawlContract.input>, printed.CrawlRequest, z.input<typeof crawlContract.input>],
    [z.output<typeof mapContract.input>, printed.MapRequest, z.input<typeof mapContract.input>],
    [
      z.output<typeof researchContract.input>,
      printed.ResearchRequest,
      z.input<typeof researchContract.input>,
    ],
  ];
  expectTypeOf<Uphill<Requests>>().toBeNever();
});

/** The pairs that are not the same, by assigning both ways. */
type Mismatch<Pairs extends [unknown, unknown][]> = {
  [At in keyof Pairs]: [Pairs[At][0]] extends [Pairs[At][1]]
    ? [Pairs[At][1]] extends [Pairs[At][0]]
      ? never
      : Pairs[At]
    : Pairs[At];
}[number];

/** The chains in which a step does not fit the next. */
type Uphill<Chains extends [unknown, unknown, unknown][]> = {
  [At in keyof Chains]: [Chains[At][0]] extends [Chains[At][1]]
    ? [Chains[At][1]] extends [Chains[At][2]]
      ? never
      : Chains[At]
    : Chains[At];
}[number];
