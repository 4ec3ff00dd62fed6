import type { ExtractOutput } from '../contract/extract.ts';
import type { SearchOutput } from '../contract/search.ts';
import { LIMITS } from '../core/limits.ts';
import { clip, oneLine, unbrokenLine } from '../core/text.ts';
import { titleOf } from '../operations/asking/chain.ts';
import { EXTRACT_TEXTS_JA, unlessEnglish, unusable, warningsJa } from './catalogue.ts';
import type { ToolEngine } from './engine.ts';
import { inlineUrl, lineEscaper } from './markdown.ts';
import { fitPages, shareRoom, type FittedPage } from './room.ts';

/** The output formats of the tavily-ja spec. Warnings follow below the fixed text. */

export function renderSearch(output: SearchOutput, standIns: string[]): string {
  const heading = `## 検索結果: ${unbrokenLine(output.query)}`;
  const { results } = output;
  const warnings = warningsJa(output.warnings);
  if (results.length === 0)
    return [
      heading,
      unusable(output)?.ja ?? '検索結果が見つかりませんでした。',
      ...noted(warnings),
      ...standIns,
    ].join('\n\n');
  const itemsOf = (contents: string[]): string[] =>
    results.map((result, index) =>
      [
        `### ${index + 1}. ${unbrokenLine(result.title)}`,
        `URL: ${inlineUrl(result.url)}`,
        ...(result.score_by === 'rank' ? [] : [`スコア: ${result.score.toFixed(2)}`]),
        contents[index] ?? '',
      ].join('\n'),
    );
  const contents = results.map((result) => pageText(result.content));
  const frame = [heading, ...itemsOf([]), ...noted([...warnings, SHORTENED]), ...standIns].join('\n\n');
  const shares = shareRoom(
    contents.map((content) => content.length),
    LIMITS.toolTextCharsMax - frame.length,
  );
  const shown = contents.map((content, index) => clip(content, shares[index] ?? 0));
  const isCut = shown.some((content, index) => content !== contents[index]);
  return [heading, ...itemsOf(shown), ...noted([...warnings, ...(isCut ? [SHORTENED] : [])]), ...standIns]
    .join('\n\n')
    .trimEnd();
}

const SHORTENED = '応答の長さの上限に合わせて、一部の結果の内容を短縮しました。';

/** Failures have their room first; the pages share what is left, and one that is cut says how to read on. */
export async function renderExtract(
  results: ExtractOutput['results'],
  failed: ExtractOutput['failed_results'],
  {
    warnings,
    standIns = [],
    cursor,
  }: { warnings: string[]; standIns?: string[]; cursor?: string | undefined },
  engine: ToolEngine,
): Promise<string> {
  const heading = '## コンテンツ抽出結果';
  const failures =
    failed.length === 0
      ? []
      : [
          `## 失敗したURL\n${failed.map((one) => `- ${inlineUrl(one.url)}: ${unlessEnglish(oneLine(one.error), EXTRACT_TEXTS_JA[one.code])}`).join('\n')}`,
        ];
  if (results.length === 0) {
    return [
      heading,
      'すべてのURLからコンテンツを抽出できませんでした。',
      ...failures,
      ...noted(warnings),
      ...standIns,
    ].join('\n\n');
  }
  const render = (texts: FittedPage[]): string => {
    const pages = results.map(({ url }, index) =>
      `### URL: ${inlineUrl(url)}\n${whole(texts[index])}`.trimEnd(),
    );
    return [heading, [...pages, ...failures].join('\n\n---\n\n'), ...noted(warnings), ...standIns].join(
      '\n\n',
    );
  };
  const options = { taken: render([]).length, cursor, escape: pageText };
  return render(await fitPages(results, options, engine));
}

const whole = ({ text, rest }: FittedPage = { text: '' }): string =>
  rest === undefined
    ? text
    : `${text}\n\n> 続きがあります（約${rest.tokens}トークン）。urls にこのURLのみ、cursor に "${rest.cursor}" を指定してください。`;

export const renderContext = (
  output: SearchOutput,
  context: string,
  { notes, standIns }: { notes: string[]; standIns: string[] },
): string =>
  [
    `## RAG用検索コンテキスト: ${unbrokenLine(output.query)}`,
    context,
    ...noted([
      ...(output.results.length === 0 ? [unusable(output)?.ja ?? '検索結果が見つかりませんでした。'] : []),
      ...warningsJa(output.warnings),
      ...notes,
    ]),
    ...standIns,
  ].join('\n\n');

/** Who answered in Tavily's place. */
export function standInLine(providers: string[]): string[] {
  const others = [...new Set(providers)].filter((id) => id !== 'tavily');
  return others.length === 0
    ? []
    : [`> 提供元: ${others.map(titleOf).join('、')}（TAVILY_API_KEY が設定されていません）`];
}

/** Pages of which little or nothing could be read. */
export const degradedPages = (results: ExtractOutput['results']): string[] =>
  results
    .filter((page) => page.outcome === 'degraded')
    .map((page) => `${page.url}: 本文をほとんど、または全く読み取れませんでした。`);

const noted = (warnings: string[]): string[] =>
  warnings.length === 0 ? [] : [warnings.map((warning) => `> 警告: ${unbrokenLine(warning)}`).join('\n')];

/** A page's text keeps its own Markdown; only what would read as a line of ours is set off by a backslash. */
const pageText = lineEscaper(
  '#{1,6}\\s*(?:検索結果|\\d+\\.|コンテンツ抽出結果|URL\\s*:|失敗したURL|RAG用検索コンテキスト)|URL\\s*:|スコア\\s*:|>\\s*(?:警告|提供元|続きがあります)',
);
