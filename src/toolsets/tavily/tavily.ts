import { z } from 'zod';
import { flag, integer, query, strings, word } from '../../contract/fields.ts';
import { HeadgateError } from '../../core/errors.ts';
import { createFence } from '../../core/fence.ts';
import { joined, named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { SEARCH_DEPTHS, TIME_RANGES, TOPICS } from '../../core/query.ts';
import type { ToolEngine } from '../engine.ts';
import { metaOf } from '../meta.ts';
import { renderCrawl, renderExtract, renderMap, renderSearch } from './text.ts';
import { defineTool, type ToolResult, type Toolset } from '../tool.ts';
import { urlList, urlsIn } from '../url-list.ts';

/** The tools of Tavily's MCP server with the same names and arguments, as a drop-in replacement. */

/** Other providers may answer these tools too; their failures are not attributed to Tavily. */
const fail = (error: HeadgateError): ToolResult => ({
  text: own`${error.provider === 'tavily' ? 'Tavily API error' : 'Error'}: ${error.explanation}`,
});

/** Tavily first if it is set up, then the other providers. */
const providerOf = (engine: ToolEngine): { provider?: string[] } =>
  engine.isReady('tavily') ? { provider: ['tavily', 'auto'] } : {};

/** That server sends empty strings and lists for omitted arguments. */
function withoutEmpty(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  return Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => name === 'query' || name === 'urls' || !isEmpty(value)),
  );
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);

const tavilySearch = defineTool({
  name: 'tavily_search',
  title: 'Search the web',
  scope: 'search',
  description: 'Find web pages about a topic. Returns titles, URLs and snippets.',
  input: z.object({
    query: query().describe('What to look for'),
    search_depth: word(SEARCH_DEPTHS).default('basic').describe('advanced reads more and costs more'),
    topic: word(TOPICS).default('general'),
    time_range: word(TIME_RANGES).optional().describe('Only results this recent'),
    start_date: z.string().default('').describe('Only results from this day on (YYYY-MM-DD)'),
    end_date: z.string().default('').describe('Only results up to this day (YYYY-MM-DD)'),
    max_results: integer(1, 20).default(5),
    include_images: flag().default(false),
    include_image_descriptions: flag().default(false),
    include_raw_content: flag().default(false).describe('Add the text of each page'),
    include_domains: strings(LIMITS.domainsIncludeMax).default([]).describe('Only these sites'),
    exclude_domains: strings(LIMITS.domainsExcludeMax).default([]).describe('None of these sites'),
    country: z.string().default('').describe('Prefer results of this country (full name)'),
    include_favicon: flag().default(false),
    exact_match: flag().optional().describe('Quoted phrases must occur'),
  }),
  prepare: withoutEmpty,
  run: async (input, call, engine) => {
    const asked = withoutEmpty(input) as Record<string, unknown>;
    // A range and dates conflict; the more exact ones are used, as in the original.
    if (asked['start_date'] !== undefined || asked['end_date'] !== undefined) delete asked['time_range'];
    const output = await engine.search({ ...asked, ...providerOf(engine) }, call);
    return { text: renderSearch(output), meta: metaOf(output) };
  },
  fail,
});

const tavilyExtract = defineTool({
  name: 'tavily_extract',
  title: 'Read pages',
  scope: 'extract',
  pagesIn: urlsIn,
  description: 'Read pages by URL as Markdown or text.',
  input: z.object({
    urls: urlList().describe('The pages to read'),
    extract_depth: word(['basic', 'advanced'])
      .default('basic')
      .describe('advanced for pages that need scripts'),
    include_images: flag().default(false),
    format: word(['markdown', 'text']).default('markdown'),
    include_favicon: flag().default(false),
    query: query().optional().describe('Put the passages about this first'),
    cursor: z
      .string()
      .max(LIMITS.cursorCharsMax)
      .optional()
      .describe('From a page that was cut; one URL only'),
  }),
  prepare: withoutEmpty,
  run: async ({ cursor, ...input }, call, engine) => {
    if (cursor !== undefined && input.urls.length > 1)
      throw new HeadgateError('invalid_request', 'cursor: continues one page. Send one URL with it.');
    const output = await engine.extract({ ...input, ...providerOf(engine) }, call);
    return {
      text: await renderExtract(output, cursor, engine),
      meta: metaOf(output),
      ...(output.results.length === 0 ? { isError: true } : {}),
    };
  },
  fail,
});

const walk = {
  url: z.string().trim().min(1).describe('Where to start'),
  max_depth: integer(1, 5).default(1).describe('How many links away from the start'),
  max_breadth: integer(1, 500).default(20).describe('How many links to follow from one page'),
  limit: integer(1, LIMITS.crawlPagesMax).default(50).describe('How many pages in all'),
  instructions: z.string().trim().optional().describe('What you are looking for, in words'),
  select_paths: strings(LIMITS.patternsMax)
    .default([])
    .describe('Only paths that match these regular expressions'),
  select_domains: strings(LIMITS.patternsMax)
    .default([])
    .describe('Only hosts that match these regular expressions'),
  allow_external: flag().default(true).describe('Whether links to other sites count'),
};

const tavilyCrawl = defineTool({
  name: 'tavily_crawl',
  title: 'Crawl a site',
  scope: 'crawl',
  description: 'Follow the links of a site from one page and read what is found.',
  input: z.object({
    ...walk,
    extract_depth: word(['basic', 'advanced'])
      .default('basic')
      .describe('advanced for pages that need scripts'),
    format: word(['markdown', 'text']).default('markdown'),
    include_favicon: flag().default(false),
  }),
  prepare: withoutEmpty,
  run: async (input, call, engine) => {
    const output = await engine.crawl(withoutEmpty(input) as Record<string, unknown>, call);
    return { text: renderCrawl(output), meta: metaOf(output) };
  },
  fail,
});

const tavilyMap = defineTool({
  name: 'tavily_map',
  title: 'Map a site',
  scope: 'crawl',
  description: 'List the addresses of a site from one page, without reading them.',
  input: z.object(walk),
  prepare: withoutEmpty,
  run: async (input, call, engine) => {
    const output = await engine.map(withoutEmpty(input) as Record<string, unknown>, call);
    return { text: renderMap(output), meta: metaOf(output) };
  },
  fail,
});

/** The effort of the original's three models. */
const EFFORT = {
  mini: { max_iterations: 1, max_sub_queries: 3 },
  pro: { max_iterations: 3, max_sub_queries: 8 },
  auto: {},
};

const tavilyResearch = defineTool({
  name: 'tavily_research',
  title: 'Research a question',
  scope: 'research',
  asksModel: true,
  description: 'Research a question over many sources. Returns a report with citations.',
  input: z.object({
    input: query().describe('The question or task'),
    model: word(['mini', 'pro', 'auto']).default('auto').describe('mini is quick, pro is thorough'),
  }),
  run: async ({ input, model }, call, engine) => {
    const { session, report, warnings } = await engine.research({ query: input, ...EFFORT[model] }, call);
    const { research_id: id, next_action: next } = session;
    const fence = createFence(engine.nonce());
    return {
      text:
        report === null
          ? own`No report yet (${named(id)}). ${named(next)}`
          : joined([fence.preface, fence.around(report.markdown)], '\n\n'),
      meta: { outcome: report?.outcome, research_id: id, warnings, trust: 'untrusted_web' },
      ...(report === null ? { isError: true } : {}),
    };
  },
  fail,
});

export const tavilyToolset: Toolset = {
  id: 'tavily',
  summary: 'the tools of Tavily’s own MCP server, for any provider',
  serverName: 'tavily-mcp',
  tools: [tavilySearch, tavilyExtract, tavilyCrawl, tavilyMap, tavilyResearch],
};
