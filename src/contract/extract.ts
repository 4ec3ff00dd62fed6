import { z } from 'zod';
import { LIMITS } from '../core/limits.ts';
import { MATCHES } from '../core/outcome.ts';
import { defineContract } from './contract.ts';
import { account, flag, integer, number, query, strings, word, providerChoice } from './fields.ts';

/** Why a URL could not be read. */
export const EXTRACT_CODES = [
  'INVALID_URL',
  'BLOCKED_HOST',
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
  published_date: z.string().optional().describe('ISO 8601, a day or a moment in the zone of the page.'),
  modified_date: z.string().optional().describe('When it was changed after that.'),
  language: z.string().optional().describe('BCP 47.'),
  site_name: z.string().optional(),
  canonical_url: z.string().optional().describe('The address that the page gives itself.'),
  image: z.string().optional().describe('The picture that the page shows when it is shared.'),
});

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
            'The heading of its section, the head of its table or the fence of its code, where it begins below them.',
          ),
        closing: z.string().optional().describe('The fence that ends its code, where it has none.'),
        headings: z.array(z.string()).optional(),
        score: z.number().optional().describe('0 to 1: how much of the query it speaks of.'),
      }),
    )
    .optional()
    .describe('The passages with their place in the page.'),
  opening: z
    .string()
    .optional()
    .describe('Where raw_content begins inside a table or code: its head or fence, to be put before it.'),
  closing: z
    .string()
    .optional()
    .describe('Where raw_content stops inside code: the fence to be put behind it.'),
  match: z
    .enum(MATCHES)
    .optional()
    .describe(
      'With a query: whether the page answers it, matches it in part (`weak`), or is about something else.',
    ),
  outcome: z.enum(['ok', 'degraded']),
  reason: z.string().optional().describe('Why the page is degraded.'),
  truncated: z.boolean().describe('Whether something was cut to fit max_tokens.'),
  cursor: z.string().optional().describe('Pass it back to read on exactly there.'),
  remaining_tokens: z.int().optional().describe('About how many tokens follow.'),
  provider: z.string(),
  trust: z.literal('untrusted_web'),
});

const input = z.object({
  urls: strings(LIMITS.urlsPerCallMax)
    .pipe(z.array(z.string()).min(1))
    .describe('The pages to read, at most 20.'),
  query: query().optional().describe('Return only the passages that answer this.'),
  chunks_per_source: integer(1, 5).optional().describe('How many passages per page, with a query.'),
  extract_depth: word(['basic', 'advanced'])
    .optional()
    .describe('`advanced` also runs the page’s scripts where a browser is at hand.'),
  format: word(['markdown', 'text']).default('markdown').describe('The form of the content.'),
  include_images: flag().optional().describe('Add the page’s images.'),
  include_favicon: flag().optional().describe('Add the site’s icon.'),
  max_tokens: integer(LIMITS.fitTokensMin, 10_000_000)
    .optional()
    .describe('Cut each page to this many tokens; a cursor leads on.'),
  cursor: z
    .string()
    .max(2_000)
    .optional()
    .describe('Read on where an earlier answer was cut (one URL only).'),
  timeout: number(1, 60).optional().describe('Seconds for the whole call.'),
  provider: providerChoice.optional(),
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
export type { ExtractHit, ExtractOutput } from './types.ts';
