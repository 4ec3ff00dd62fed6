import { z } from 'zod';
import { flag, integer, query, strings, word } from '../../../contract/fields.ts';
import { LIMITS } from '../../../core/limits.ts';
import { SEARCH_DEPTHS, TOPICS } from '../../../core/query.ts';
import { concerns } from '../../concerns.ts';
import { metaOf } from '../../meta.ts';
import { defineAction } from './action.ts';
import { sourceOfHit } from './source.ts';
import { successResponse } from './response-v2.ts';

const QUERY_CHARS_MAX = 400;

/** The action `search` (research spec 5). Configuration and research mode decide what the caller leaves open. */
export const searchAction = defineAction({
  name: 'search',
  summary: 'search the web',
  input: z.object({
    query: query(QUERY_CHARS_MAX).describe('What to look for'),
    max_results: integer(1, 20).default(10).describe('search: how many sources'),
    search_depth: word(SEARCH_DEPTHS).optional().describe('search: depth; advanced costs twice'),
    topic: word(TOPICS).optional().describe('search: topic'),
    days: integer(1, 365).optional().describe('search: only the last so many days'),
    include_answer: z
      .union([flag(), word(['basic', 'advanced'])])
      .optional()
      .describe('search: add an answer'),
    include_raw_content: z
      .union([flag(), word(['markdown', 'text'])])
      .optional()
      .describe('search: add page content; true is markdown'),
    include_images: flag().optional().describe('add images'),
    include_favicon: flag().optional().describe('search: add favicons'),
    include_domains: strings(LIMITS.domainsIncludeMax).optional().describe('search: only these domains'),
    exclude_domains: strings(LIMITS.domainsExcludeMax).optional().describe('search: none of these domains'),
    country: z.string().trim().min(1).optional().describe('search: prefer a country (ISO code or name)'),
    chunks_per_source: integer(1, 5).optional().describe('passages per source'),
    auto_parameters: flag().optional().describe('search: let the provider choose what nobody set'),
  }),
  run: async (input, call, engine) => {
    const output = await engine.search({ ...input, ...engine.searchParameters(input) }, call);
    const sources = output.results.map(sourceOfHit);
    return {
      envelope: successResponse(
        {
          action: 'search',
          query: output.query,
          ...(output.answer === null ? {} : { answer: output.answer }),
          ...(output.match === undefined ? {} : { match: output.match }),
          sources,
          ...(output.images.length === 0 ? {} : { images: output.images }),
          stats: { requested: input.max_results, succeeded: sources.length },
        },
        { requestId: call.requestId, warnings: concerns(output) },
      ),
      meta: metaOf(output),
    };
  },
});
