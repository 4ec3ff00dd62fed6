import { z } from 'zod';
import type { Voiced } from '../core/text.ts';
import { CRAWL_JOB_LIMITS } from '../core/crawl-job.ts';
import { LIMITS } from '../core/limits.ts';
import { defineContract } from './contract.ts';
import { siteUsage } from './extract.ts';
import { account, asOf, flag, integer, number, providerChoice, strings, word } from './fields.ts';

/** Fields that crawl and map share: where to start and which links to follow. */
const walk = {
  url: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.urlCharsMax)
    .describe('Where to start; https:// is added when missing.'),
  instructions: z
    .string()
    .trim()
    .max(2_000)
    .optional()
    .describe('What you are looking for; pages that match come first.'),
  max_depth: integer(1, 5).default(1).describe('How many links away from the start.'),
  max_breadth: integer(1, 500).default(20).describe('How many links to follow from one page.'),
  limit: integer(1, LIMITS.crawlPagesMax).default(50).describe('How many pages in total.'),
  select_paths: strings(LIMITS.patternsMax)
    .optional()
    .describe('Only paths that match one of these regular expressions.'),
  select_domains: strings(LIMITS.patternsMax)
    .optional()
    .describe('Only hosts that match one of these regular expressions.'),
  exclude_paths: strings(LIMITS.patternsMax)
    .optional()
    .describe('No paths that match one of these regular expressions.'),
  exclude_domains: strings(LIMITS.patternsMax)
    .optional()
    .describe('No hosts that match one of these regular expressions.'),
  allow_external: flag().default(true).describe('Whether links to other sites are listed and followed.'),
  timeout: number(1, 150).default(150).describe('Seconds; what was found by then is returned.'),
  cursor: z.string().max(200).optional().describe('Continue where an earlier answer stopped.'),
  provider: providerChoice.optional(),
  as_of: asOf,
};

const common = {
  base_url: z.string(),
  cursor: z.string().optional().describe('Present when there is more; pass it back to continue.'),
  skipped: z
    .array(z.object({ url: z.string(), reason: z.string() }))
    .describe('Pages that were not read, and why.'),
  credits: z.number(),
  response_time: z.number(),
  request_id: z.string(),
  ...account,
};

const crawlInput = z.object({
  ...walk,
  chunks_per_source: integer(1, 5).optional().describe('With instructions: how many passages per page.'),
  extract_depth: word(['basic', 'advanced']).optional().describe('How thoroughly pages are read.'),
  format: word(['markdown', 'text']).default('markdown').describe('The format of the content.'),
  include_images: flag().optional().describe('Add each page’s images.'),
  include_favicon: flag().optional().describe('Add each site’s icon.'),
});

/** The contract of `crawl`. */
export const crawlContract = defineContract({
  name: 'crawl',
  title: 'Read a site',
  description: 'Follow a site’s links from one page and return the content of what is found.',
  input: crawlInput,
  output: z.object({
    ...common,
    results: z.array(
      z.object({
        url: z.string(),
        title: z.string(),
        raw_content: z.string(),
        images: z.array(z.string()),
        favicon: z.string().optional(),
        depth: z.int().optional().describe('How many links away from the start, when that is known.'),
        score: z.number().optional(),
        usage: siteUsage.optional(),
        trust: z.literal('untrusted_web'),
      }),
    ),
  }),
});

const jobInput = crawlInput
  .pick({
    url: true,
    select_paths: true,
    select_domains: true,
    exclude_paths: true,
    exclude_domains: true,
    format: true,
  })
  .extend({
    max_depth: integer(1, CRAWL_JOB_LIMITS.depthMax)
      .default(5)
      .describe('How many links away from the start.'),
    max_breadth: integer(1, CRAWL_JOB_LIMITS.breadthMax)
      .default(100)
      .describe('How many new links to follow from one page.'),
    limit: integer(1, CRAWL_JOB_LIMITS.pagesMax).default(1_000).describe('How many pages in total.'),
    allow_external: flag().default(false).describe('Whether links to other sites are followed.'),
    library: flag()
      .default(false)
      .describe('Whether the pages are added to the library of the workspace, too.'),
  });

/** The contract of a crawl in the background. Keys, agents, rules and the call log know it as a crawl. */
export const crawlJobContract = defineContract({
  name: 'crawl',
  title: 'Read a large site',
  description: 'Follow the links of a site in the background, on every gateway of the store.',
  input: jobInput,
  output: z.object({
    crawl_id: z.string(),
    url: z.string(),
    state: z.enum(['running', 'done', 'cancelled', 'failed']),
    error: z.string().optional().describe('Why it failed.'),
    limit: z.int(),
    format: z.enum(['markdown', 'text']),
    pages: z.int().describe('Pages that were read.'),
    skipped: z.int().describe('Pages that could not be read.'),
    waiting: z.int().describe('Pages that were found and not read yet.'),
    in_library: z
      .int()
      .optional()
      .describe('How many of the results have gone through to the library, if they are to.'),
    created_at: z.string(),
    ended_at: z.string().optional(),
  }),
});

/** A line of the results of a crawl in the background: a page, or one that was skipped. */
export interface CrawlResultLine {
  position: number;
  url: string;
  /** How many links away from the start. */
  depth: number;
  outcome: 'ok' | 'degraded' | 'skipped';
  title?: string;
  raw_content?: string;
  published_date?: string;
  /** When it was read. */
  read_at?: string;
  /** Why it was skipped, or is degraded. */
  reason?: string;
  trust: 'untrusted_web';
}

const mapInput = z.object(walk);

/** The contract of `map`. */
export const mapContract = defineContract({
  name: 'map',
  title: 'List a site’s pages',
  description:
    'Follow a site’s links and sitemap from one page and return the addresses found, without their content.',
  input: mapInput,
  output: z.object({ ...common, results: z.array(z.string()) }),
});

export type CrawlInput = z.output<typeof crawlInput>;
export type MapInput = z.output<typeof mapInput>;
export type CrawlJobInput = z.output<typeof jobInput>;
export type CrawlJobOutput = Voiced<z.output<typeof crawlJobContract.output>>;
export type CrawlOutput = Voiced<z.output<typeof crawlContract.output>>;
export type MapOutput = Voiced<z.output<typeof mapContract.output>>;
