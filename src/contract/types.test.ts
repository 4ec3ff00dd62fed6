import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { answerContract } from './answer.ts';
import type { crawlContract, mapContract } from './crawl.ts';
import type { extractContract } from './extract.ts';
import type { researchContract } from './research.ts';
import type { searchContract } from './search.ts';
import type * as Types from './types.ts';

// The compiler is the test.

test('a request of its type is one that the schema takes, and what the schema made of it is one too', () => {
  type Requests = [
    [z.output<typeof searchContract.input>, Types.SearchRequest, z.input<typeof searchContract.input>],
    [z.output<typeof extractContract.input>, Types.ExtractRequest, z.input<typeof extractContract.input>],
    [z.output<typeof answerContract.input>, Types.AnswerRequest, z.input<typeof answerContract.input>],
    [z.output<typeof crawlContract.input>, Types.CrawlRequest, z.input<typeof crawlContract.input>],
    [z.output<typeof mapContract.input>, Types.MapRequest, z.input<typeof mapContract.input>],
    [z.output<typeof researchContract.input>, Types.ResearchRequest, z.input<typeof researchContract.input>],
  ];
  expectTypeOf<Uphill<Requests>>().toBeNever();
});

/** The chains in which a step does not fit the next. */
type Uphill<Chains extends [unknown, unknown, unknown][]> = {
  [At in keyof Chains]: [Chains[At][0]] extends [Chains[At][1]]
    ? [Chains[At][1]] extends [Chains[At][2]]
      ? never
      : Chains[At]
    : Chains[At];
}[number];
