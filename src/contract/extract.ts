import { z } from 'zod';
import type { Voiced } from '../core/text.ts';
import { LIMITS } from '../core/limits.ts';
import { MATCHES } from '../core/outcome.ts';
import { defineContract } from './contract.ts';
import { account, asOf, flag, integer, number, query, strings, word, providerChoice } from './fields.ts';

/** Why a URL could not be read. */
export const EXTRACT_CODES = [
  'INVALID_URL',
  'BLOCKED_HOST',
  'NEEDS_APPROVAL',
  'PAYMENT_REQUIRED',
  'NOT_FOUND',
  'ACCESS_DENIED',
  'TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_TYPE',
  'NETWORK_ERROR',
  'RATE_LIMITED',
  'UNAUTHORIZED',
  'QUOTA_EXCEEDED',
  'UNAVAILABLE',
  'BAD_ANSWER',
  'EXTRACT_FAILED',
] as const;

export type ExtractCode = (typeof EXTRACT_CODES)[number];

/** Metadata that a page declares about itself. Fields that it does not declare are absent. */
export const pageFacts = z.object({
  description: z.string().optional(),
  byline: z.string().optional().describe('The people who wrote it, or the organisation.'),
  published_date: z.string().optional().describe('ISO 8601: a day, or a time in the time zone of the page.'),
  modified_date: z.string().optional().describe('The date of the last change.'),
  language: z.string().optional().describe('BCP 47.'),
  site_name: z.string().optional(),
  canonical_url: z.string().optional().describe('The canonical address that the page declares.'),
  image: z.string().optional().describe('The preview image that the page declares.'),
});

/** The wishes of a site, on results that Headgate read itself. */
export const siteUsage = z
  .record(z.string(), z.enum(['yes', 'no']))
  .describe('What the site says about the use of its content, such as {"ai-input": "no"}.');

export const extractHit = z.object({
  url: z.string(),
  title: z.string(),
  raw_content: z.string().describe('The page’s content, or its best passages when a query was given.'),
  images: z.array(z.string()),
  favicon: z.string().optional(),
  ...pageFacts.shape,
  chunks: z
    .array(
      z.object({
        text: z.string(),
        start: z.int(),
        end: z.int(),
        opening: z
          .string()
          .optional()
          .describe(
            'The section heading, table head or code fence above the passage, when it starts below them.',
          ),
        closing: z
          .string()
          .optional()
          .describe('The closing code fence, when the passage stops inside code.'),
        headings: z.array(z.string()).optional(),
        score: z.number().optional().describe('0 to 1: how much of the query it covers.'),
      }),
    )
    .optional()
    .describe('The passages with their offsets in the page.'),
  opening: z
    .string()
    .optional()
    .describe(
      'When raw_content starts inside a table or code: the table head or code fence to put before it.',
    ),
  closing: z.string().optional().describe('When raw_content stops inside code: the fence to put after it.'),
  match: z
    .enum(MATCHES)
    .optional()
    .describe(
      'With a query: whether the page answers it, matches it in part (`weak`), or is about something else.',
    ),
  usage: siteUsage.optional(),
  removed_chars: z
    .int()
    .optional()
    .describe('How many characters were left out because readers of the page cannot see them.'),
  removed: z
    .array(
      z.object({
        why: z.string().describe('What hides it, such as `display:none`.'),
        excerpt: z.string().describe('Its beginning: words of the page that nobody should follow.'),
      }),
    )
    .optional()
    .describe('With include_removed: the first of the texts that were left out for it.'),
  instructions: z
    .array(z.string())
    .optional()
    .describe(
      'With include_removed: the first sentences that speak to a model instead of a reader. Readers see them, so they stay in the content.',
    ),
  outcome: z.enum(['ok', 'degraded']),
  reason: z.string().optional().describe('Why the page is degraded.'),
  truncated: z.boolean().describe('Whether content or passages were left out to fit max_tokens.'),
  cursor: z.string().optional().describe('Pass it back to continue exactly there.'),
  remaining_tokens: z.int().optional().describe('The approximate number of tokens that follow.'),
  provider: z.string(),
  trust: z.literal('untrusted_web'),
});

const input = z.object({
  urls: strings(LIMITS.urlsPerCallMax)
    .pipe(z.array(z.string()).min(1))
    .describe('The pages to read, at most 20.'),
  query: query().optional().describe('Return only the passages that answer this.'),
  chunks_per_source: integer(1, 5)
    .optional()
    .describe('With a query: how many passages per page. By default 3, or as many as fit into max_tokens.'),
  extract_depth: word(['basic', 'advanced'])
    .optional()
    .describe('`advanced` also runs the page’s scripts if a browser is available.'),
  format: word(['markdown', 'text']).default('markdown').describe('The format of the content.'),
  include_images: flag().optional().describe('Add the page’s images.'),
  include_favicon: flag().optional().describe('Add the site’s icon.'),
  include_removed: flag()
    .optional()
    .describe(
      'Add excerpts of text that was left out because readers of the page cannot see it, and of text that instructs a model.',
    ),
  max_tokens: integer(LIMITS.fitTokensMin, 10_000_000)
    .optional()
    .describe('Cut each page to this many tokens; use the cursor to continue.'),
  cursor: z
    .string()
    .max(2_000)
    .optional()
    .describe('Continue where an earlier answer was cut (one URL only).'),
  timeout: number(1, 60).optional().describe('Seconds for the whole call.'),
  provider: providerChoice.optional(),
  as_of: asOf,
});

/** The contract of `extract`. */
export const extractContract = defineContract({
  name: 'extract',
  title: 'Read web pages',
  description: 'Read pages as clean Markdown or text. Use it when you know the URL.',
  input,
  output: z.object({
    results: z.array(extractHit),
    failed_results: z.array(z.object({ url: z.string(), error: z.string(), code: z.enum(EXTRACT_CODES) })),
    credits: z.number(),
    response_time: z.number(),
    request_id: z.string(),
    ...account,
  }),
});

export type ExtractInput = z.output<typeof input>;
export type ExtractHit = Voiced<z.output<typeof extractHit>>;
export type ExtractOutput = Voiced<z.output<typeof extractContract.output>>;
