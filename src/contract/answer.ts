import { z } from 'zod';
import type { Voiced } from '../core/text.ts';
import { MATCHES } from '../core/outcome.ts';
import { defineContract } from './contract.ts';
import { account, asOf, cacheFields, flag, query } from './fields.ts';

const passage = z.object({ text: z.string(), source: z.string(), url: z.string() });
const topic = z.object({
  title: z.string(),
  text: z.string(),
  url: z.string(),
  group: z.string().optional().describe('The heading of its group on a disambiguation page.'),
});

const input = z.object({
  query: query().describe('What to look up.'),
  web: flag().default(true).describe('Search and read pages when there is no instant answer that matches.'),
  ...cacheFields,
  as_of: asOf,
});

/** The contract of `answer`. */
export const answerContract = defineContract({
  name: 'answer',
  title: 'Answer',
  description:
    'Answer a short question: from instant answers (a definition, a fact, an encyclopedia abstract), or quoted from pages that are searched and read.',
  input,
  output: z.object({
    query: z.string(),
    heading: z.string(),
    abstract: passage.optional(),
    answer: z.string().optional(),
    answer_by: z
      .enum(['provider', 'model', 'quotes'])
      .optional()
      .describe('Present when the answer is from pages: how it was written. It cites `results` by number.'),
    definition: passage.optional(),
    match: z
      .enum(MATCHES)
      .optional()
      .describe('Whether what was found answers the query or matches it only in part (`weak`).'),
    facts: z.array(z.object({ label: z.string(), value: z.string() })),
    related: z.array(topic),
    results: z.array(topic),
    redirect: z.string().optional().describe('Where the source redirects instead of answering.'),
    cached: z.boolean(),
    response_time: z.number(),
    request_id: z.string(),
    ...account,
  }),
});

export type AnswerInput = z.output<typeof input>;
export type AnswerOutput = Voiced<z.output<typeof answerContract.output>>;
