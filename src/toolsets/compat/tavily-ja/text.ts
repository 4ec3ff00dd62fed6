import type { ExtractOutput } from '../../../contract/extract.ts';
import type { SearchOutput } from '../../../contract/search.ts';
import { LIMITS } from '../../../core/limits.ts';
import { asked, joined, listed, named, own, safe } from '../../../core/own-text.ts';
import { clip, oneLine, type OwnText, type SafeText } from '../../../core/text.ts';
import { titleOf } from '../../../routing/chain.ts';
import { EXTRACT_TEXTS_JA, unlessEnglish, unusable } from '../../catalogue.ts';
import { warningsJa } from './warnings.ts';
import type { ToolEngine } from '../../engine.ts';
import { inlineUrl, lineEscaper, lineText } from '../../markdown.ts';
import { fitPageTexts, shareRoom, type FittedPage } from '../../room.ts';

/** The output formats of the tavily-ja spec. Warnings follow below the fixed text. */

export function renderSearchJa(output: SearchOutput, standIns: OwnText[]): SafeText {
  const heading = safe`## 検索結果: ${lineText(output.query)}`;
  const { results } = output;
  const warnings = warningsJa(output.warnings);
  if (results.length === 0)
    return joined(
      [
        heading,
        unusable(output)?.ja ?? own`検索結果が見つかりませんでした。`,
        ...noted(warnings),
        ...standIns,
      ],
      '\n\n',
    );
  const itemsOf = (contents: SafeText[]): SafeText[] =>
    results.map((result, index) =>
      joined(
        [
          safe`### ${index + 1}. ${lineText(result.title)}`,
          safe`URL: ${inlineUrl(result.url)}`,
          ...(result.score_by === 'rank' ? [] : [own`スコア: ${named(result.score.toFixed(2))}`]),
          contents[index] ?? own``,
        ],
        '\n',
      ),
    );
  const contents = results.map((result) => pageText(result.content));
  const frame = joined([heading, ...itemsOf([]), ...noted([...warnings, SHORTENED]), ...standIns], '\n\n');
  const shares = shareRoom(
    contents.map((content) => content.length),
    LIMITS.toolTextCharsMax - frame.length,
  );
  const shown = contents.map((content, index) => clip(content, shares[index] ?? 0));
  const isCut = shown.some((content, index) => content !== contents[index]);
  return trimmed(
    joined(
      [heading, ...itemsOf(shown), ...noted([...warnings, ...(isCut ? [SHORTENED] : [])]), ...standIns],
      '\n\n',
    ),
  );
}

const SHORTENED = own`応答の長さの上限に合わせて、一部の結果の内容を短縮しました。`;

/** Failures have their room first; the pages share what is left, and one that is cut says how to read on. */
export async function renderExtractJa(
  results: ExtractOutput['results'],
  failed: ExtractOutput['failed_results'],
  {
    warnings,
    standIns = [],
    cursor,
  }: { warnings: OwnText[]; standIns?: OwnText[]; cursor?: string | undefined },
  engine: ToolEngine,
): Promise<SafeText> {
  const heading = own`## コンテンツ抽出結果`;
  const failures =
    failed.length === 0
      ? []
      : [
          safe`## 失敗したURL\n${joined(
            failed.map(
              (one) =>
                safe`- ${inlineUrl(one.url)}: ${unlessEnglish(oneLine(one.error), EXTRACT_TEXTS_JA[one.code])}`,
            ),
            '\n',
          )}`,
        ];
  if (results.length === 0) {
    return joined(
      [
        heading,
        own`すべてのURLからコンテンツを抽出できませんでした。`,
        ...failures,
        ...noted(warnings),
        ...standIns,
      ],
      '\n\n',
    );
  }
  const render = (texts: FittedPage[]): SafeText => {
    const pages = results.map(({ url }, index) =>
      trimmed(safe`### URL: ${inlineUrl(url)}\n${whole(texts[index])}`),
    );
    return joined(
      [heading, joined([...pages, ...failures], '\n\n---\n\n'), ...noted(warnings), ...standIns],
      '\n\n',
    );
  };
  const options = { taken: render([]).length, cursor, escape: pageText };
  return render(await fitPageTexts(results, options, engine));
}

const whole = ({ text, rest }: FittedPage = { text: own`` }): SafeText =>
  rest === undefined
    ? text
    : safe`${text}\n\n> 続きがあります（約${rest.tokens}トークン）。urls にこのURLのみ、cursor に "${named(rest.cursor)}" を指定してください。`;

export const renderContext = (
  output: SearchOutput,
  context: SafeText,
  { notes, standIns }: { notes: OwnText[]; standIns: OwnText[] },
): SafeText =>
  joined(
    [
      safe`## RAG用検索コンテキスト: ${lineText(output.query)}`,
      context,
      ...noted([
        ...(output.results.length === 0
          ? [unusable(output)?.ja ?? own`検索結果が見つかりませんでした。`]
          : []),
        ...warningsJa(output.warnings),
        ...notes,
      ]),
      ...standIns,
    ],
    '\n\n',
  );

/** Who answered in Tavily's place. */
export function standInLine(providers: string[]): OwnText[] {
  const others = [...new Set(providers)].filter((id) => id !== 'tavily');
  return others.length === 0
    ? []
    : [
        own`> 提供元: ${listed(
          others.map((id) => named(titleOf(id))),
          '、',
        )}（TAVILY_API_KEY が設定されていません）`,
      ];
}

/** Pages of which little or nothing could be read. */
export const degradedPages = (results: ExtractOutput['results']): OwnText[] =>
  results
    .filter((page) => page.outcome === 'degraded')
    .map((page) => own`${asked(page.url)}: 本文をほとんど、または全く読み取れませんでした。`);

const noted = (warnings: OwnText[]): SafeText[] =>
  warnings.length === 0
    ? []
    : [
        joined(
          warnings.map((warning) => safe`> 警告: ${lineText(warning)}`),
          '\n',
        ),
      ];

const trimmed = (text: SafeText): SafeText => text.trimEnd() as SafeText;

/** A page's text keeps its own Markdown; only what would read as a line of ours is set off by a backslash. */
const pageText = lineEscaper(
  '#{1,6}\\s*(?:検索結果|\\d+\\.|コンテンツ抽出結果|URL\\s*:|失敗したURL|RAG用検索コンテキスト)|URL\\s*:|スコア\\s*:|>\\s*(?:警告|提供元|続きがあります)',
);
