import type { ExtractOutput } from '../contract/extract.ts';
import type { SearchOutput } from '../contract/search.ts';
import { cleanText, oneLine } from '../core/text.ts';
import { inlineUrl } from './markdown.ts';

/** The texts of seed 000, byte for byte; what had to be changed or left out stands below them. */

export function renderSearch(output: SearchOutput): string {
  const heading = `## 検索結果: ${oneLine(output.query)}`;
  if (output.results.length === 0)
    return [heading, '検索結果が見つかりませんでした。', ...notes(output.warnings)].join('\n\n');
  const items = output.results.map(
    (result, index) =>
      `### ${index + 1}. ${oneLine(result.title)}\nURL: ${inlineUrl(result.url)}\nスコア: ${result.score.toFixed(2)}\n${pageText(result.content)}`,
  );
  return [heading, ...items, ...notes(output.warnings)].join('\n\n').trimEnd();
}

export function renderExtract(
  results: Pick<ExtractOutput['results'][number], 'url' | 'raw_content'>[],
  failed: { url: string; error: string }[],
  warnings: string[],
): string {
  const heading = '## コンテンツ抽出結果';
  const pages = results
    .map((result) => `### URL: ${inlineUrl(result.url)}\n${pageText(result.raw_content)}`.trimEnd())
    .join('\n\n---\n\n');
  const failures =
    failed.length === 0
      ? []
      : [
          `## 失敗したURL\n${failed.map((one) => `- ${inlineUrl(one.url)}: ${oneLine(one.error)}`).join('\n')}`,
        ];
  if (results.length === 0) {
    return [
      heading,
      'すべてのURLからコンテンツを抽出できませんでした。',
      ...failures,
      ...notes(warnings),
    ].join('\n\n');
  }
  const body = [pages, ...failures].join('\n\n---\n\n');
  return [heading, body, ...notes(warnings)].join('\n\n');
}

export const renderContext = (query: string, context: string, warnings: string[]): string =>
  [`## RAG用検索コンテキスト: ${oneLine(query)}`, context, ...notes(warnings)].join('\n\n');

const notes = (warnings: string[]): string[] =>
  warnings.length === 0 ? [] : [warnings.map((warning) => `> 警告: ${oneLine(warning)}`).join('\n')];

const OWN_HEADING =
  /^(#{2,3} (?:検索結果:|\d+\. |コンテンツ抽出結果|URL: |失敗したURL|RAG用検索コンテキスト))/gm;

/** A page's text keeps its own Markdown; only what would read as one of our headings is escaped. */
const pageText = (text: string): string => cleanText(text).trim().replace(OWN_HEADING, '\\$1');
