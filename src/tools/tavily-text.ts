import type { CrawlOutput, MapOutput } from '../contract/crawl.ts';
import type { ExtractOutput } from '../contract/extract.ts';
import type { SearchHit, SearchOutput } from '../contract/search.ts';
import { clip, oneLine, unbrokenLine } from '../core/text.ts';
import { unusable } from './catalogue.ts';
import { concerns, pageConcerns } from './concerns.ts';
import type { ToolEngine } from './engine.ts';
import { inlineUrl, lineEscaper } from './markdown.ts';
import { fitPages, type FittedPage } from './room.ts';

/** The form that Tavily's MCP server prints. What it leaves out in silence (failed pages, warnings) stands below. */

type Image = string | { url: string; description?: string | null | undefined };

export function renderSearch(output: SearchOutput): string {
  return [
    ...(output.answer === null ? [] : [`Answer: ${pageText(output.answer)}\n`]),
    'Detailed Results:',
    ...(output.results.length === 0 ? [`\n${oneLine(unusable(output)?.en ?? 'No results found.')}`] : []),
    ...output.results.flatMap((hit) => [
      `\nTitle: ${unbrokenLine(hit.title)}`,
      `URL: ${inlineUrl(hit.url)}`,
      `Content: ${pageText(hit.content)}`,
      ...extras(hit),
    ]),
    ...imageLines(output.images),
    ...notes(concerns(output)),
  ].join('\n');
}

/** Failures and notes have their room first; the pages share what is left, and one that is cut says how to read on. */
export async function renderExtract(
  output: ExtractOutput,
  cursor: string | undefined,
  engine: ToolEngine,
): Promise<string> {
  const { results } = output;
  const failed = output.failed_results.map((one) => `- ${inlineUrl(one.url)}: ${oneLine(one.error)}`);
  const render = (texts: FittedPage[]): string =>
    [
      'Detailed Results:',
      ...results.flatMap((page, index) => [
        `\nTitle: ${unbrokenLine(page.title)}`,
        `URL: ${inlineUrl(page.url)}`,
        `Raw Content: ${whole(texts[index])}`,
        ...(page.favicon === undefined ? [] : [`Favicon: ${inlineUrl(page.favicon)}`]),
        ...page.images.map((url) => `Image: ${inlineUrl(url)}`),
      ]),
      ...(failed.length === 0 ? [] : ['\nFailed:', ...failed]),
      ...notes([...pageConcerns(output), ...concerns(output)]),
    ].join('\n');
  const options = { taken: render([]).length, cursor, escape: pageText };
  return render(await fitPages(results, options, engine));
}

const whole = ({ text, rest }: FittedPage = { text: '' }): string =>
  rest === undefined
    ? text
    : `${text}\n\n[More follows, about ${rest.tokens} tokens: call tavily_extract with only this URL and cursor "${rest.cursor}".]`;

const PREVIEW_CHARS = 200;

export function renderCrawl(output: CrawlOutput): string {
  return [
    'Crawl Results:',
    `Base URL: ${inlineUrl(output.base_url)}`,
    '\nCrawled Pages:',
    ...output.results.flatMap((page, index) => [
      `\n[${index + 1}] URL: ${inlineUrl(page.url)}`,
      ...(page.raw_content === '' ? [] : [`Content: ${preview(page.raw_content)}`]),
      ...(page.favicon === undefined ? [] : [`Favicon: ${inlineUrl(page.favicon)}`]),
    ]),
    ...(output.results.length === 0 ? ['\nNo pages found.'] : []),
    ...skipped(output),
    ...notes([...more(output), ...concerns(output)]),
  ].join('\n');
}

export const renderMap = (output: MapOutput): string =>
  [
    'Site Map Results:',
    `Base URL: ${inlineUrl(output.base_url)}`,
    '\nMapped Pages:',
    ...output.results.map((url, index) => `\n[${index + 1}] URL: ${inlineUrl(url)}`),
    ...(output.results.length === 0 ? ['\nNo pages found.'] : []),
    ...skipped(output),
    ...notes([...more(output), ...concerns(output)]),
  ].join('\n');

const SKIPPED_MAX = 20;

function skipped({ skipped: pages }: Pick<CrawlOutput, 'skipped'>): string[] {
  if (pages.length === 0) return [];
  const rest = pages.length - SKIPPED_MAX;
  return [
    '\nNot read:',
    ...pages.slice(0, SKIPPED_MAX).map(({ url, reason }) => `- ${inlineUrl(url)}: ${oneLine(reason)}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ];
}

const extras = (hit: SearchHit): string[] => [
  ...(hit.raw_content === null ? [] : [`Raw Content: ${pageText(hit.raw_content)}`]),
  ...(hit.favicon === undefined ? [] : [`Favicon: ${inlineUrl(hit.favicon)}`]),
];

const imageLines = (images: readonly Image[]): string[] =>
  images.length === 0
    ? []
    : [
        '\nImages:',
        ...images.flatMap((image, index) => {
          const { url, description } =
            typeof image === 'string' ? { url: image, description: undefined } : image;
          return [
            `\n[${index + 1}] URL: ${inlineUrl(url)}`,
            ...(description == null || description === '' ? [] : [`   Description: ${oneLine(description)}`]),
          ];
        }),
      ];

/** The original shows 200 characters of a crawled page; the pages themselves are read with tavily_extract. */
const preview = (text: string): string => {
  const clean = pageText(text);
  return clean.length <= PREVIEW_CHARS ? clean : `${clip(clean, PREVIEW_CHARS + 1).slice(0, -1)}...`;
};

const more = (output: { cursor?: string | undefined }): string[] =>
  output.cursor === undefined ? [] : ['There are more pages; raise limit to see them.'];

const notes = (warnings: string[]): string[] =>
  warnings.length === 0 ? [] : ['', ...warnings.map((warning) => `Note: ${oneLine(warning)}`)];

/** A page's text keeps its own lines; only what would read as one of ours is set off by a backslash. */
const pageText = lineEscaper(
  '(?:Detailed Results|Crawl Results|Site Map Results|Failed|Not read|Images?|Crawled Pages|Mapped Pages|Title|(?:Base |\\[\\s*\\d+\\s*\\]\\s*)?URL|(?:Raw )?Content|Answer|Favicon|Description|Note)\\s*:|\\[\\s*More follows',
);
