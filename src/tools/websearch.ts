import { z } from 'zod';
import type { AnswerOutput } from '../contract/answer.ts';
import { integer, query } from '../contract/fields.ts';
import type { SearchOutput } from '../contract/search.ts';
import { joined, named, own, safe } from '../core/own-text.ts';
import type { OwnText, SafeText } from '../core/text.ts';
import type { HeadgateError } from '../core/errors.ts';
import { titleOf } from '../operations/asking/chain.ts';
import { unusable } from './catalogue.ts';
import { concerns } from './concerns.ts';
import { blockText, inlineText, inlineUrl } from './markdown.ts';
import { metaOf } from './meta.ts';
import { defineTool, type ToolResult, type Toolset } from './tool.ts';

/** The toolset `websearch` (docs/specs/websearch.md): two tools over DuckDuckGo with fixed Markdown output. */

const fail = (error: HeadgateError): ToolResult => ({ text: error.explanation });

const webSearch = defineTool({
  name: 'web_search',
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
    return { text: renderSearch(output), meta: metaOf(output) };
  },
  fail,
});

const instantAnswer = defineTool({
  name: 'instant_answer',
  description: 'Get an instant answer from DuckDuckGo, including abstracts, definitions, and related topics.',
  input: z.object({ query: query().describe('検索キーワード') }),
  run: async (input, call, engine) => {
    const output = await engine.answer(input, call);
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
export function renderSearch(output: SearchOutput): SafeText {
  const heading = safe`## Web Search Results for "${inlineText(output.query)}"`;
  const source = named(
    titleOf(output.results[0]?.provider ?? output.attempts.at(-1)?.provider ?? 'duckduckgo'),
  );
  if (output.results.length === 0)
    return joined(
      [
        heading,
        ...notes({ ...output, outcome: 'empty', attempts: [] }),
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
    [heading, ...notes(output), ...items, own`_Source: ${source} (${output.results.length} results)_`],
    '\n\n',
  );
}

/** The Markdown of `instant_answer`. */
export function renderAnswer(output: AnswerOutput): SafeText {
  const passage = (title: OwnText, part: AnswerOutput['abstract']): SafeText[] => {
    if (part === undefined) return [];
    const origin = [
      ...(part.source === '' ? [] : [safe`**Source:** ${inlineText(part.source)}`]),
      ...(part.url === '' ? [] : [safe`**URL:** ${inlineUrl(part.url)}`]),
    ];
    const text = safe`### ${title}\n${blockText(part.text)}`;
    return origin.length === 0 ? [text] : [text, joined(origin, '\n')];
  };
  const list = (title: OwnText, lines: SafeText[]): SafeText[] =>
    lines.length === 0 ? [] : [safe`### ${title}\n${joined(lines, '\n')}`];
  const topic = (one: { title: string; text: string }): SafeText =>
    safe`- **${inlineText(one.title)}**${one.text === '' ? '' : safe` - ${inlineText(one.text)}`}`;

  const titled = ({ name, topics }: TopicGroup): SafeText[] =>
    name === undefined ? topics.map(topic) : [own``, safe`**${inlineText(name)}**`, ...topics.map(topic)];

  const blocks = [
    ...(output.answer === undefined ? [] : [safe`### Answer\n${blockText(output.answer)}`]),
    ...passage(own`Abstract`, output.abstract),
    ...passage(own`Definition`, output.definition),
    ...list(
      own`Facts`,
      output.facts.map((fact) => safe`- **${inlineText(fact.label)}:** ${inlineText(fact.value)}`),
    ),
    ...list(
      own`Results`,
      output.results.map((one) => safe`- **${inlineText(one.title)}** - ${inlineUrl(one.url)}`),
    ),
    ...list(own`Related Topics`, groupsOf(output.related).flatMap(titled)),
    ...(output.redirect === undefined ? [] : [safe`### Redirect\n**URL:** ${inlineUrl(output.redirect)}`]),
  ];
  return joined(
    [
      safe`## Instant Answer for "${inlineText(output.query)}"`,
      ...notes(output),
      ...(blocks.length === 0 ? [own`No instant answer available for this query.`] : blocks),
      own`_Source: DuckDuckGo Instant Answer API_`,
    ],
    '\n\n',
  );
}

interface TopicGroup {
  name: string | undefined;
  topics: AnswerOutput['related'];
}

/** Topics under the headings of a list of meanings, in their order; those without one come first. */
function groupsOf(related: AnswerOutput['related']): TopicGroup[] {
  const groups: TopicGroup[] = [{ name: undefined, topics: [] }];
  for (const topic of related) {
    const group = groups.find(({ name }) => name === topic.group);
    if (group === undefined) groups.push({ name: topic.group, topics: [topic] });
    else group.topics.push(topic);
  }
  return groups;
}

/** Nothing is changed in silence: what was condensed, dropped or missed, and who did not answer, stands above the results. */
function notes(output: Parameters<typeof concerns>[0]): SafeText[] {
  const lines = concerns(output).map((concern) => safe`> Note: ${inlineText(concern)}`);
  return lines.length === 0 ? [] : [joined(lines, '\n')];
}
