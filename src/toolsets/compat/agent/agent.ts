import { z } from 'zod';
import type { ExtractHit } from '../../../contract/extract.ts';
import { integer, query } from '../../../contract/fields.ts';
import type { SearchOutput } from '../../../contract/search.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { createFence, defuse, type Fence } from '../../../core/fence.ts';
import { joined, own, safe } from '../../../core/own-text.ts';
import type { OwnText, SafeText } from '../../../core/text.ts';
import { readChoice, searchChoice } from '../../../routing/agent-reach.ts';
import { unusable } from '../../catalogue.ts';
import { concerns } from '../../concerns.ts';
import { blockText, inlineText, inlineUrl, lineEscaper } from '../../markdown.ts';
import type { ToolEngine } from '../../engine.ts';
import { metaOf } from '../../meta.ts';
import { fitPageTexts, type FittedPage } from '../../room.ts';
import { defineTool, type Tool, type Toolset } from '../../tool.ts';
import { urlProblem } from '../../url-list.ts';

/** The toolset `agent`: `search_web` and `fetch_url` with the providers of one agent (agent spec 1). */

/** A provider's id, `headgate` for whoever is set up, or null for no such tool. Old flags are migrated by the store. */
export interface AgentWebSettings {
  searchWebProvider: string | null;
  fetchWebProvider: string | null;
}

/** What only the gateway knows of a tool. */
export interface ServedTool {
  /** What its description says about the price. */
  note: string;
  /** Why every call of it fails, and what to do about that. */
  problem?: HeadgateError | undefined;
}

const NOTHING_KNOWN: ServedTool = { note: '' };

/** The web tools of one agent: a tool that is switched off does not exist for it. */
export const agentToolset = (
  settings: AgentWebSettings,
  served: { search: ServedTool; fetch: ServedTool } = { search: NOTHING_KNOWN, fetch: NOTHING_KNOWN },
): Toolset => ({
  id: 'agent',
  summary: 'search_web and fetch_url as an agent is set up to use them',
  serverName: 'headgate-agent',
  tools: [
    ...(settings.searchWebProvider === null ? [] : [searchWeb(settings.searchWebProvider, served.search)]),
    ...(settings.fetchWebProvider === null ? [] : [fetchUrl(settings.fetchWebProvider, served.fetch)]),
  ],
});

const searchWeb = (provider: string, { note, problem }: ServedTool): Tool =>
  defineTool({
    name: 'search_web',
    title: 'Search the web',
    scope: 'search',
    description: `Search the web for current information. Returns titles, URLs, snippets and relevance scores.${note}`,
    input: z.object({
      query: query().describe('The search query. Must be a non-empty string.'),
      max_results: integer(1, 10)
        .default(5)
        .describe('Maximum number of results to return (1-10, default: 5)'),
    }),
    run: async (input, call, engine) => {
      if (problem !== undefined) throw problem;
      const output = await engine.search(
        { ...input, include_answer: 'basic', provider: searchChoice(provider) },
        call,
      );
      return { text: renderSearchWeb(output, createFence(engine.nonce())), meta: metaOf(output) };
    },
    fail: (error, raw) => ({
      text:
        missing(own`search_web`, 'query', own`a search query string`, raw) ??
        own`Error searching the web: ${error.explanation}`,
    }),
  });

const fetchUrl = (provider: string, { note, problem }: ServedTool): Tool =>
  defineTool({
    name: 'fetch_url',
    title: 'Read a page',
    scope: 'extract',
    description: `Extract content from a web page URL. Returns its title, text and metadata.${note}`,
    input: z.object({
      url: z
        .string()
        .trim()
        .describe('The URL to extract content from. Must be a valid URL starting with http:// or https://'),
    }),
    run: async ({ url }, call, engine) => {
      if (problem !== undefined) throw problem;
      if (urlProblem(url) !== undefined) throw new HeadgateError('invalid_url', 'The URL is not valid.');
      const output = await engine.extract(
        { urls: [url], include_images: true, provider: readChoice(provider) },
        call,
      );
      const [page] = output.results;
      if (page === undefined) {
        const reason = output.failed_results[0]?.error ?? own`The page gave no content.`;
        return { text: own`Error fetching web content: ${reason}`, isError: true, meta: metaOf(output) };
      }
      return { text: await renderFetched(page, concerns(output), engine), meta: metaOf(output) };
    },
    fail: (error, raw) => ({
      text:
        missing(own`fetch_url`, 'url', own`a URL string`, raw) ??
        (error.code === 'invalid_url'
          ? own`Error: fetch_url requires a valid URL. The 'url' parameter must be a valid URL starting with http:// or https://. ${EXAMPLES.url}`
          : own`Error fetching web content: ${error.explanation}`),
    }),
  });

const EXAMPLES = {
  query: own`Example: {query: 'latest news about AI'}`,
  url: own`Example: {url: 'https://example.com/article'}`,
};

/** The text for a required argument that is missing or blank (agent spec 6.1). */
function missing(tool: OwnText, field: 'query' | 'url', wanted: OwnText, raw: unknown): OwnText | undefined {
  const value: unknown =
    typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[field] : undefined;
  if (value === undefined || value === null)
    return own`Error: ${tool} requires a '${field}' parameter. Please provide ${wanted}.`;
  if (typeof value === 'string' && value.trim() === '')
    return own`Error: ${tool} requires a non-empty '${field}' parameter. Please provide ${wanted}. ${EXAMPLES[field]}`;
  return undefined;
}

/** A snippet cannot add lines to its own result. */
const snippetText = lineEscaper('\\d+[.)]\\s*\\*\\*|URL:|\\(Relevance score|\\*\\*Summary Answer');

function renderSearchWeb(output: SearchOutput, fence: Fence): SafeText {
  const count = safe`Found ${output.results.length} search result(s) for "${inlineText(output.query)}"`;
  const nothing = unusable(output)?.en;
  const items = output.results.map((result, index) => {
    const content = snippetText(blockText(result.content)).replaceAll('\n', '\n   ');
    return [
      `${index + 1}. **${inlineText(result.title)}**`,
      `   URL: ${inlineUrl(result.url)}`,
      ...(content === '' ? [] : [`   ${content}`]),
      ...(result.score_by === 'rank' ? [] : [`   (Relevance score: ${result.score.toFixed(2)})`]),
    ].join('\n');
  });
  const found = [
    ...items,
    ...(output.answer === null ? [] : [`**Summary Answer:**\n${blockText(output.answer)}`]),
  ];
  return joined(
    [
      items.length > 0 ? safe`${count}:` : (nothing ?? safe`${count}. Try other or fewer words.`),
      ...(found.length === 0 ? [] : [fence.preface, fence.around(found.join('\n\n'))]),
      ...notes(items.length === 0 ? output.warnings : concerns(output)),
    ],
    '\n\n',
  );
}

const IMAGES_SHOWN = 5;

async function renderFetched(page: ExtractHit, warnings: OwnText[], engine: ToolEngine): Promise<SafeText> {
  const fence = createFence(engine.nonce());
  const line = (name: string, value: string | undefined): string[] =>
    value === undefined || value.trim() === '' ? [] : [`**${name}:** ${inlineText(value)}`];
  const images = page.images.slice(0, IMAGES_SHOWN).map((url) => `- ${inlineUrl(url)}`);
  const facts = [
    ...line('Title', page.title),
    ...line('Author', page.byline),
    ...line('Published', page.published_date),
  ];
  const render = ({ text, rest }: FittedPage<string>): SafeText =>
    joined(
      [
        own`**Content extracted from URL:**`,
        fence.preface,
        fence.around(
          [
            ...(facts.length === 0 ? [] : [facts.join('\n')]),
            `**Content:**\n${text}`,
            ...(images.length === 0
              ? []
              : [[`**Images found:** ${page.images.length}`, ...images].join('\n')]),
          ].join('\n\n'),
        ),
        ...notes([
          ...(rest === undefined
            ? []
            : [
                own`The page is longer than an answer may be; about ${rest.tokens} more tokens are not shown.`,
              ]),
          ...(page.reason === undefined ? [] : [page.reason]),
          ...warnings,
        ]),
      ],
      '\n\n',
    );
  const options = { taken: render(NOTHING).length, escape: (text: string) => defuse(text).trim() };
  const [fitted = NOTHING] = await fitPageTexts([page], options, engine);
  return render(fitted);
}

const NOTHING: FittedPage<string> = { text: '' };

const notes = (warnings: OwnText[]): SafeText[] =>
  warnings.length === 0
    ? []
    : [
        joined(
          warnings.map((warning) => safe`Note: ${inlineText(warning)}`),
          '\n',
        ),
      ];

/** What an agent has that nobody has set up. */
export const AGENT_DEFAULTS: AgentWebSettings = {
  searchWebProvider: 'headgate',
  fetchWebProvider: 'headgate',
};

export const agent = agentToolset(AGENT_DEFAULTS);
