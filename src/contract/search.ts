import { z } from 'zod';
import type { Voiced } from '../core/text.ts';
import { LIMITS } from '../core/limits.ts';
import { MATCHES } from '../core/outcome.ts';
import { SEARCH_DEPTHS, TIME_RANGES, TOPIC_WORDS } from '../core/query.ts';
import { defineContract } from './contract.ts';
import {
  account,
  asOf,
  cacheFields,
  country,
  flag,
  integer,
  isoDateField,
  providerChoice,
  query,
  strings,
  word,
} from './fields.ts';

export const STRATEGIES = ['fallback', 'fastest', 'merge'] as const;
export const LIBRARY_CHOICES = ['only', 'also', 'never'] as const;

const image = z.union([
  z.string(),
  z.object({ url: z.string(), description: z.string().nullable().optional() }),
]);

export const searchHit = z.object({
  url: z.string(),
  title: z.string(),
  content: z.string().describe('Snippet or best passages.'),
  score: z.number().describe('0 to 1, best first.'),
  score_by: z
    .literal('rank')
    .optional()
    .describe(
      'Present when the score only reflects the position in the list, because relevance was not measured.',
    ),
  raw_content: z.string().nullable(),
  published_date: z.string().optional(),
  favicon: z.string().optional(),
  images: z.array(image).optional(),
  provider: z.string().describe('The provider that found it.'),
  found_by: z.array(z.string()).optional(),
  licence: z.string().optional().describe('The licence of the text, where it has to be named.'),
  trust: z.literal('untrusted_web'),
});

const input = z.object({
  query: query().describe('What to look for.'),
  max_results: integer(0, LIMITS.resultsMax).default(5).describe('How many results to return.'),
  search_depth: word(SEARCH_DEPTHS)
    .optional()
    .describe('`advanced` reads the pages and returns their best passages.'),
  topic: word(TOPIC_WORDS)
    .optional()
    .describe(
      'Which part of the web to search. `auto` also asks sources of what the query is about, such as encyclopaedias or the scientific literature.',
    ),
  time_range: word([...TIME_RANGES, 'd', 'w', 'm', 'y'])
    .optional()
    .describe('Only results of the last day, week, month or year.'),
  start_date: isoDateField().optional().describe('Only results from this day on (YYYY-MM-DD).'),
  end_date: isoDateField().optional().describe('Only results up to this day (YYYY-MM-DD).'),
  days: integer(1, 3_650).optional().describe('Only results of the last N days.'),
  include_answer: z
    .union([flag(), word(['basic', 'advanced'])])
    .optional()
    .describe('Answer the query from the results.'),
  include_raw_content: z
    .union([flag(), word(['markdown', 'text'])])
    .optional()
    .describe('Add the content of each page.'),
  include_images: flag().optional().describe('Add images.'),
  include_image_descriptions: flag().optional().describe('Describe the images.'),
  include_favicon: flag().optional().describe('Add each site’s icon.'),
  include_domains: strings(LIMITS.domainsIncludeMax).optional().describe('Only results from these domains.'),
  exclude_domains: strings(LIMITS.domainsExcludeMax).optional().describe('No results from these domains.'),
  include_domains_mode: word(['restrict', 'prefer', 'filter', 'boost'])
    .optional()
    .describe('Whether include_domains restricts the results or only prefers them.'),
  country: country().optional().describe('Prefer results of this country: ISO code or English name.'),
  language: z.string().trim().optional().describe('Prefer results in this language (ISO 639-1).'),
  filter_by_language: flag().optional().describe('Drop results in other languages.'),
  include_published_date: flag().optional().describe('Add the publication date.'),
  filter_by_published_date: flag().optional().describe('Drop undated results when a date filter is set.'),
  chunks_per_source: integer(1, 5).optional().describe('How many passages per result.'),
  max_tokens: integer(LIMITS.fitTokensMin, 10_000_000)
    .optional()
    .describe(
      'At most this many tokens in the content of all results together, filled with the best passages.',
    ),
  auto_parameters: flag().optional().describe('Let the provider choose parameters that are not set.'),
  exact_match: flag().optional().describe('Quoted phrases must occur.'),
  safe_search: flag().optional().describe('Leave out adult content.'),
  provider: providerChoice.optional(),
  exclude_providers: strings(LIMITS.patternsMax)
    .optional()
    .describe('Providers and sources of topics that this search does not ask.'),
  strategy: word(STRATEGIES)
    .optional()
    .describe(
      '`fallback` tries one provider after another, `fastest` takes the first answer, `merge` combines all.',
    ),
  library: word(LIBRARY_CHOICES)
    .optional()
    .describe(
      'The local library. `also`, the default: its documents are a list of their own, beside the results of the web. `only`: nothing else is searched. `never`: it is left out.',
    ),
  ...cacheFields,
  as_of: asOf,
});

/** The contract of `search`. */
export const searchContract = defineContract({
  name: 'search',
  title: 'Search the web',
  description: 'Find pages that answer a question. Use it for facts newer than your training data.',
  input,
  output: z.object({
    query: z.string(),
    answer: z.string().nullable(),
    answer_by: z
      .enum(['provider', 'model', 'quotes'])
      .optional()
      .describe(
        'How the answer was written: by the provider, by the model (citing results by number), or as quotes from the results.',
      ),
    match: z
      .enum(MATCHES)
      .optional()
      .describe(
        'With include_answer: whether the results answer the query, match it in part (`weak`), or are about something else.',
      ),
    images: z.array(image),
    results: z.array(searchHit),
    library: z
      .array(searchHit)
      .optional()
      .describe(
        'Matching documents of the local library, when there are any; `results` are those of the web.',
      ),
    auto_parameters: z.record(z.string(), z.unknown()).optional(),
    cached: z.boolean(),
    credits: z.number().describe('Credits that the provider charged.'),
    response_time: z.number().describe('Seconds.'),
    request_id: z.string(),
    ...account,
  }),
});

export type SearchInput = z.output<typeof input>;
export type SearchHit = z.output<typeof searchHit>;
export type SearchOutput = Voiced<z.output<typeof searchContract.output>>;
