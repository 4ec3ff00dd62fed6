import { z } from 'zod';
import type { Voiced } from '../core/text.ts';
import { LIMITS } from '../core/limits.ts';
import { MATCHES, OUTCOMES } from '../core/outcome.ts';
import { SEARCH_DEPTHS, TOPICS } from '../core/query.ts';
import { defineContract } from './contract.ts';
import { asOf, country, flag, integer, query, strings, word, providerChoice } from './fields.ts';

export const RESEARCH_PHASES = [
  'planning',
  'gathering',
  'extraction',
  'analysis',
  'synthesis',
  'refinement',
  'done',
] as const;

export const RESEARCH_STATUSES = ['running', 'completed', 'failed', 'cancelled', 'interrupted'] as const;

export const CITATION_FORMATS = ['numbered', 'mla', 'apa', 'chicago'] as const;

const input = z.object({
  query: query().describe('The question to research.'),
  mode: word(['general', 'academic', 'technical'])
    .optional()
    .describe('The research mode, which sets sources and search depth: general, academic or technical.'),
  max_iterations: integer(1, 10).default(3).describe('How often gaps may be searched again.'),
  max_sub_queries: integer(1, 20).default(5).describe('How many searches the question is split into.'),
  max_sources_per_query: integer(1, 20).default(5).describe('Results per search.'),
  max_concurrent: integer(1, 10).default(3).describe('Searches at the same time.'),
  follow_links: flag().optional().describe('Read pages of which a search returned only a snippet.'),
  use_model: flag().optional().describe('Use the configured language model; false means quotes only.'),
  search_depth: word(SEARCH_DEPTHS).optional().describe('Overrides the depth of the mode.'),
  topic: word(TOPICS).optional().describe('Which part of the web to search.'),
  days: integer(1, 3_650).optional().describe('Only results of the last N days.'),
  country: country().optional().describe('Prefer this country: ISO code or English name.'),
  chunks_per_source: integer(1, 5).optional().describe('Passages per result.'),
  include_raw_content: z
    .union([flag(), word(['markdown', 'text'])])
    .optional()
    .describe('Request page content with each search.'),
  include_images: flag().optional().describe('Request images.'),
  auto_parameters: flag().optional().describe('Let the provider choose parameters that are not set.'),
  include_domains: strings(LIMITS.domainsIncludeMax).optional().describe('Prefer these domains.'),
  exclude_domains: strings(LIMITS.domainsExcludeMax).optional().describe('No results from these domains.'),
  provider: providerChoice.optional(),
  max_credits: integer(0, LIMITS.creditsPerCallMax)
    .optional()
    .describe('The most provider credits to spend.'),
  max_tokens: integer(0, 100_000_000).optional().describe('The most model tokens to spend.'),
  timeout: integer(1, 3_600)
    .default(300)
    .describe('Time limit in seconds; the best report so far is returned then.'),
  citation_format: word(CITATION_FORMATS)
    .default('numbered')
    .describe('The citation style of the list of sources.'),
  output_length: word(['short', 'standard', 'long'])
    .default('standard')
    .describe('The length of the report.'),
  output_tokens: integer(LIMITS.reportTokensMin, 100_000)
    .optional()
    .describe('The most tokens of the report in Markdown; what matters most is kept.'),
  background: flag().optional().describe('Return at once with an ID; request the result later.'),
  as_of: asOf,
});

const statement = z.object({
  text: z.string(),
  citations: z.array(z.int()).describe('Numbers of the sources.'),
  finding_ids: z.array(z.string()),
  quotes: z
    .array(z.object({ citation: z.int(), quote: z.string() }))
    .describe('The quotes from the cited sources that support the statement.'),
});

const finding = z.object({
  id: z.string(),
  statement: z.string(),
  quote: z.string().describe('The exact text of the source from start to end.'),
  passage: z
    .string()
    .optional()
    .describe(
      'The quote with the sentence after it, as the report prints it where the finding stands alone.',
    ),
  source_id: z.string(),
  citation: z.int(),
  url: z.string(),
  hash: z.string().describe('SHA-256 of the source’s text.'),
  start: z.int(),
  end: z.int(),
  theme: z.string(),
  confidence: z.enum(['low', 'medium', 'high']),
});

const source = z.object({
  number: z.int(),
  id: z.string(),
  title: z.string(),
  url: z.string(),
  quality: z.enum(['high', 'medium', 'low']),
  text_kind: z.enum(['content', 'snippet']),
  hash: z.string(),
  provider: z.string(),
  published_date: z.string().optional(),
  favicon: z.string().optional(),
});

export const report = z.object({
  research_id: z.string(),
  query: z.string(),
  mode: z.enum(['general', 'academic', 'technical']),
  outcome: z.enum(OUTCOMES),
  match: z
    .enum(MATCHES)
    .optional()
    .describe('Whether the findings answer the question, match it in part (`weak`), or do not match.'),
  written_by: z.string().describe('The model, or `quotes` without one.'),
  executive_summary: z.array(statement),
  key_findings: z.array(z.object({ theme: z.string(), statements: z.array(statement) })),
  supporting_evidence: z.array(statement),
  conflicting_information: z.array(statement),
  figures: z
    .array(
      z.array(
        z.object({
          value: z.string(),
          citation: z.int(),
          site: z.string(),
          published_date: z.string().optional(),
        }),
      ),
    )
    .optional()
    .describe('Where sources give different figures or dates, who gives which.'),
  limitations: z.array(z.string()),
  conclusions: z.array(statement),
  sources: z.array(source),
  findings: z.array(finding),
  removed: z
    .object({ claims: z.int(), citations: z.int() })
    .describe('Statements of the model that were removed because no source supports them.'),
  iterations: z.int(),
  markdown: z.string(),
});

export const session = z.object({
  research_id: z.string(),
  status: z.enum(RESEARCH_STATUSES),
  phase: z.enum(RESEARCH_PHASES),
  original_query: z.string(),
  mode: z.enum(['general', 'academic', 'technical']),
  iteration: z.int(),
  max_iterations: z.int(),
  sub_queries_total: z.int(),
  sub_queries_completed: z.int(),
  source_count: z.int(),
  finding_count: z.int(),
  gap_count: z.int().describe('Gaps that are still open.'),
  total_tokens_used: z.int(),
  credits: z.number(),
  elapsed_ms: z.int(),
  is_complete: z.boolean(),
  is_failed: z.boolean(),
  failure_error: z.string().nullable(),
  failure_code: z.string().nullable().describe('Why it failed, as a code of the error table.'),
  timed_out: z.boolean(),
  cancelled: z.boolean(),
  status_check_count: z.int(),
  next_action: z.string().describe('What to do next.'),
  created_at: z.string(),
  updated_at: z.string(),
  expires_at: z.string(),
});

/** The contract of `research`. */
export const researchContract = defineContract({
  name: 'research',
  title: 'Research a question',
  description:
    'Research a question over many searches and pages; returns a report in which every statement is quoted and cited.',
  input,
  output: z.object({ session, report: report.nullable(), warnings: z.array(z.string()) }),
});

export const SESSION_ACTIONS = ['status', 'report', 'list', 'resume', 'cancel', 'delete'] as const;

const sessionInput = z.object({
  action: word(SESSION_ACTIONS).default('status').describe('What to do with the research.'),
  research_id: z.string().trim().max(40).optional().describe('Which research; not for list.'),
  max_iterations: integer(1, 10).optional().describe('With resume: the new number of iterations.'),
  timeout: integer(1, 3_600).optional().describe('With resume: seconds from now.'),
  cursor: z.string().trim().max(40).optional().describe('With list: continue after this one.'),
  limit: integer(1, 100).default(20).describe('With list: how many.'),
});

/** The contract of `research_session`: status, report, list, cancel, resume, delete. */
export const researchSessionContract = defineContract({
  name: 'research_session',
  title: 'Manage research sessions',
  description: 'Status, report, list, resume, cancel or delete research that was started earlier.',
  input: sessionInput,
  output: z.object({
    action: z.enum(SESSION_ACTIONS),
    session: session.optional(),
    report: report.optional(),
    sessions: z.array(session).optional(),
    next_cursor: z.string().optional(),
  }),
});

const quoteInput = z.object({
  quote: z.string().trim().min(1).max(5_000).describe('The words to look for.'),
  url: z
    .string()
    .trim()
    .max(LIMITS.urlCharsMax)
    .optional()
    .describe('The page that should contain it; it is read now.'),
  research_id: z.string().trim().max(40).optional().describe('Look in the sources of this research instead.'),
  source_id: z.string().trim().max(40).optional().describe('Which of its sources; all when absent.'),
});

/** The contract of `verify_quote`. */
export const verifyQuoteContract = defineContract({
  name: 'verify_quote',
  title: 'Check a quote',
  description: 'Check whether a page, or a source of a research, contains a quote, and where.',
  input: quoteInput,
  output: z.object({
    verified: z.boolean(),
    match: z
      .enum(['exact', 'normalised', 'none'])
      .describe('`normalised` ignores white space, letter case, typography and Markdown.'),
    url: z.string().optional(),
    source_id: z.string().optional(),
    hash: z.string().optional().describe('SHA-256 of the text that was searched.'),
    start: z.int().optional(),
    end: z.int().optional(),
    found: z.string().optional().describe('The text as it is in the source.'),
    closest: z.string().optional().describe('The most similar passage, when the quote was not found.'),
  }),
});

export type ResearchInput = z.output<typeof input>;
export type ResearchSessionInput = z.output<typeof sessionInput>;
export type VerifyQuoteInput = z.output<typeof quoteInput>;
export type ResearchPhase = (typeof RESEARCH_PHASES)[number];
export type ResearchStatus = (typeof RESEARCH_STATUSES)[number];
export type ResearchReport = z.output<typeof report>;
export type VerifyQuoteOutput = z.output<typeof verifyQuoteContract.output>;
export type ResearchOutput = Voiced<z.output<typeof researchContract.output>>;
export type ResearchSessionOutput = Voiced<z.output<typeof researchSessionContract.output>>;
export type ResearchSession = Voiced<z.output<typeof session>>;
