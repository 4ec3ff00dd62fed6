import { z } from 'zod';
import { integer, query, word } from '../../../contract/fields.ts';
import type { SearchHit } from '../../../contract/search.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { Attempt, Outcome } from '../../../core/outcome.ts';
import { asked, own } from '../../../core/own-text.ts';
import { cleanText, clip, type OwnText, type SafeText } from '../../../core/text.ts';
import type { ToolEngine } from '../../engine.ts';
import { warningsJa } from './warnings.ts';
import { inlineUrl, jsonText } from '../../markdown.ts';
import { metaOf } from '../../meta.ts';
import { renderFailure } from './failure.ts';
import { degradedPages, renderContext, renderExtractJa, renderSearchJa, standInLine } from './text.ts';
import { defineTool, type ToolResult, type Toolset } from '../../tool.ts';
import { sortUrls, urlList, urlsIn, type UrlProblem } from '../../url-list.ts';
import { fits } from '../../room.ts';

/** The toolset `tavily-ja` (docs/specs/tavily-ja.md): three tools with Japanese output. */

const fail = (error: HeadgateError): ToolResult => ({ text: renderFailure(error) });

/** Tavily itself when it is set up, so that its errors are what they say; else whoever is. */
const tavilyOf = (engine: ToolEngine): { provider?: string } =>
  engine.isReady('tavily') ? { provider: 'tavily' } : {};

/** Who answered in Tavily's place, where it is not set up. */
const standIns = (output: { results: { provider: string }[]; attempts: Attempt[] }, engine: ToolEngine) =>
  engine.isReady('tavily')
    ? []
    : standInLine(
        output.results.length > 0
          ? output.results.map((result) => result.provider)
          : output.attempts.flatMap(({ outcome, provider }) => (isAnswer(outcome) ? [provider] : [])),
      );

const isAnswer = (outcome: Outcome): boolean => ['ok', 'empty', 'partial', 'degraded'].includes(outcome);

const tavilySearch = defineTool({
  name: 'tavily_search',
  title: 'Web検索',
  scope: 'search',
  description: 'Web検索を実行する',
  input: z.object({
    query: query().describe('検索クエリ'),
    search_depth: word(['basic', 'advanced']).default('basic'),
    max_results: integer(1, 20).default(5),
  }),
  run: async (input, call, engine) => {
    const output = await engine.search({ ...input, ...tavilyOf(engine) }, call);
    return { text: renderSearchJa(output, standIns(output, engine)), meta: metaOf(output) };
  },
  fail,
});

const URLS_MAX = 20;

const tavilyExtract = defineTool({
  name: 'tavily_extract',
  title: 'ページの読み取り',
  scope: 'extract',
  pagesIn: urlsIn,
  description: 'URL群からコンテンツを抽出する',
  input: z.object({
    urls: urlList().describe('抽出対象URL群'),
    cursor: z.string().max(LIMITS.cursorCharsMax).optional().describe('続きを読むためのカーソル（URL 1つ）'),
  }),
  run: async ({ urls, cursor }, call, engine) => {
    const sorted = sortUrls(urls, URLS_MAX);
    if (sorted.count === 0) {
      throw new HeadgateError('invalid_request', 'URL群が空です。少なくとも1つのURLを指定してください。');
    }
    if (cursor !== undefined && sorted.count > 1)
      throw new HeadgateError('invalid_request', 'cursor: one URL only.', { data: { fields: ['cursor'] } });
    const tooMany =
      sorted.count <= URLS_MAX
        ? []
        : [
            own`URL数が上限(${URLS_MAX})を超えています。最初の${URLS_MAX}件のみ処理します。 (指定: ${sorted.count}件)`,
          ];
    const insecure = sorted.valid
      .filter((url) => /^http:/i.test(url))
      .map((url) => own`HTTPSを推奨します: ${asked(url)}`);
    for (const warning of [...tooMany, ...insecure])
      engine.log.warn('tool_warning', { tool: 'tavily_extract', warning });
    const invalid = sorted.invalid.map(({ url, problem }) => ({
      url,
      error: PROBLEMS[problem],
      code: 'INVALID_URL' as const,
    }));
    if (sorted.valid.length === 0)
      return {
        text: await renderExtractJa([], invalid, { warnings: tooMany }, engine),
        meta: { outcome: 'invalid' },
        isError: true,
      };
    const output = await engine.extract({ urls: sorted.valid, ...tavilyOf(engine) }, call);
    const { results } = output;
    const warnings = [...tooMany, ...degradedPages(results), ...warningsJa(output.warnings)];
    const failed = [...output.failed_results, ...invalid];
    const outcome = results.length > 0 && invalid.length > 0 ? 'partial' : output.outcome;
    return {
      text: await renderExtractJa(
        results,
        failed,
        { warnings, cursor, standIns: standIns(output, engine) },
        engine,
      ),
      meta: metaOf({ ...output, outcome, warnings: [...tooMany, ...insecure, ...output.warnings] }),
      ...(results.length === 0 ? { isError: true } : {}),
    };
  },
  fail,
});

const PROBLEMS: Record<UrlProblem, OwnText> = {
  scheme: own`無効なURL形式です（http:// または https:// で始まる必要があります）`,
  host: own`無効なURL形式です（ホスト名がありません）`,
  length: own`URLが長すぎます（最大${LIMITS.urlCharsMax}文字）`,
};

const CONTEXT_TOKENS = 4_000;

const tavilyContext = defineTool({
  name: 'tavily_context',
  title: '検索コンテキスト',
  scope: 'search',
  description: 'RAG用検索コンテキストを取得する',
  input: z.object({
    query: query().describe('検索クエリ'),
    max_tokens: integer(1, Number.MAX_SAFE_INTEGER).optional().describe('最大トークン数'),
  }),
  run: async (input, call, engine) => {
    const output = await engine.search(
      { query: input.query, search_depth: 'basic', max_results: 5, ...tavilyOf(engine) },
      call,
    );
    const fitted = await fitContext(output.results, input.max_tokens ?? CONTEXT_TOKENS, engine);
    const { notes } = fitted;
    return {
      text: renderContext(output, fitted.context, { notes, standIns: standIns(output, engine) }),
      meta: metaOf({ ...output, warnings: [...output.warnings, ...notes] }),
    };
  },
  fail,
});

/** Whole items while they fit; a first item that is too long is cut instead of dropped. What is left out or cut is said. */
async function fitContext(
  hits: SearchHit[],
  tokensMax: number,
  engine: ToolEngine,
): Promise<{ context: SafeText; notes: OwnText[] }> {
  const items = hits.map((hit) => ({ url: inlineUrl(hit.url), content: cleanText(hit.content) }));
  const isShort = async (some: typeof items): Promise<boolean> => {
    const text = JSON.stringify(some);
    return text.length <= CONTEXT_CHARS && (await fits(text, tokensMax, engine));
  };
  let count = items.length;
  while (count > 0 && !(await isShort(items.slice(0, count)))) count -= 1;
  const [first] = items;
  const left = own`max_tokens (${tokensMax}) に収めるため、${items.length}件中${Math.max(1, count)}件のみを含めました。`;
  if (count > 0 || first === undefined)
    return {
      context: jsonText(items.slice(0, count)),
      notes: count === items.length ? [] : [left],
    };

  const cut = (length: number) => [{ url: first.url, content: clip(first.content, length) }];
  let longest = -1;
  for (let low = 1, high = first.content.length - 1; low <= high;) {
    const middle = (low + high) >> 1;
    if (await isShort(cut(middle))) [longest, low] = [middle, middle + 1];
    else high = middle - 1;
  }
  if (longest < 0)
    return {
      context: own`[]`,
      notes: [own`max_tokens (${tokensMax}) が小さすぎるため、結果を収められません。`],
    };
  const notes = [
    own`max_tokens (${tokensMax}) に収めるため、1件目の内容を途中で切りました。`,
    ...(items.length > 1 ? [left] : []),
  ];
  return { context: jsonText(cut(longest)), notes };
}

/** The context leaves room for the heading and for what is said about it. */
const CONTEXT_CHARS = LIMITS.toolTextCharsMax - 4_000;

export const tavilyJa: Toolset = {
  id: 'tavily-ja',
  language: 'ja',
  summary: 'tavily_search, tavily_extract and tavily_context with Japanese output',
  serverName: 'pydantic_tools',
  tools: [tavilySearch, tavilyExtract, tavilyContext],
};
