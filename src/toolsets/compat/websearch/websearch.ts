import { z } from 'zod';
import { integer, query } from '../../../contract/fields.ts';
import type { SearchOutput } from '../../../contract/search.ts';
import { joined, named, own, safe } from '../../../core/own-text.ts';
import type { SafeText } from '../../../core/text.ts';
import type { HeadgateError } from '../../../core/errors.ts';
import { titleOf } from '../../../routing/chain.ts';
import { unusable } from '../../catalogue.ts';
import { inlineText, inlineUrl } from '../../markdown.ts';
import { metaOf } from '../../meta.ts';
import { notesAbove, renderAnswer } from '../../render-answer.ts';
import { defineTool, type ToolResult, type Toolset } from '../../tool.ts';

/** The toolset `websearch` (docs/specs/websearch.md): two tools over DuckDuckGo with fixed Markdown output. */

const fail = (error: HeadgateError): ToolResult => ({ text: error.explanation });

const webSearch = defineTool({
  name: 'web_search',
  title: 'Search the web',
  scope: 'search',
  description:
    'Search the web using DuckDuckGo and return a list of results with titles, URLs, and snippets.',
  input: z.object({
    query: query().describe('検索キーワード'),
    max_results: integer(1, 30).default(10).describe('返却する検索結果の最大数（デフォルト: 10）'),
  }),
  // DuckDuckGo first, as promised; when it refuses, whoever else is set up, and the footer says who it was.
  run: async (input, call, engine) => {
    const output = await engine.search(
      { ...input, provider: ['duckduckgo', 'auto'], strategy: 'fallback' },
      call,
    );
    return { text: renderResultList(output), meta: metaOf(output) };
  },
  fail,
});

const instantAnswer = defineTool({
  name: 'instant_answer',
  title: 'Look something up',
  scope: 'search',
  description: 'Get an instant answer from DuckDuckGo, including abstracts, definitions, and related topics.',
  input: z.object({ query: query().describe('検索キーワード') }),
  run: async (input, call, engine) => {
    const output = await engine.answer({ ...input, web: false }, call);
    return { text: renderAnswer(output), meta: metaOf(output) };
  },
  fail,
});

export const websearch: Toolset = {
  id: 'websearch',
  summary: 'web_search and instant_answer over DuckDuckGo, no key needed',
  serverName: 'websearch-mcp',
  tools: [webSearch, instantAnswer],
};

/** The Markdown of `web_search`. */
export function renderResultList(output: SearchOutput): SafeText {
  const heading = safe`## Web Search Results for "${inlineText(output.query)}"`;
  const source = named(
    titleOf(output.results[0]?.provider ?? output.attempts.at(-1)?.provider ?? 'duckduckgo'),
  );
  if (output.results.length === 0)
    return joined(
      [
        heading,
        ...notesAbove({ ...output, outcome: 'empty', attempts: [] }),
        inlineText(unusable(output)?.en ?? 'No results found.'),
        own`_Source: ${source}_`,
      ],
      '\n\n',
    );
  const items = output.results.map((result, index) => {
    const content = inlineText(result.content);
    return joined(
      [
        safe`### ${index + 1}. ${inlineText(result.title)}`,
        safe`**URL:** ${inlineUrl(result.url)}`,
        ...(content === '' ? [] : [content]),
        own`\n---`,
      ],
      '\n',
    );
  });
  return joined(
    [heading, ...notesAbove(output), ...items, own`_Source: ${source} (${output.results.length} results)_`],
    '\n\n',
  );
}
