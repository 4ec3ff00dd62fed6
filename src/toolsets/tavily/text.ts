import type { CrawlOutput, MapOutput } from '../../contract/crawl.ts';
import type { ExtractOutput } from '../../contract/extract.ts';
import type { SearchHit, SearchOutput } from '../../contract/search.ts';
import { joined, named, own, safe } from '../../core/own-text.ts';
import { clip, oneLine, type OwnText, type SafeText } from '../../core/text.ts';
import { unusable } from '../catalogue.ts';
import { concerns, pageConcerns } from '../concerns.ts';
import type { ToolEngine } from '../engine.ts';
import { inlineUrl, lineEscaper, lineText } from '../markdown.ts';
import { fitPageTexts, type FittedPage } from '../room.ts';

/** The output format of Tavily's MCP server. Failed pages and warnings, which it omits, are appended. */

type Image = string | { url: string; description?: string | null | undefined };

export function renderSearch(output: SearchOutput): SafeText {
  return joined(
    [
      ...(output.answer === null ? [] : [safe`Answer: ${pageText(output.answer)}\n`]),
      own`Detailed Results:`,
      ...(output.results.length === 0
        ? [own`\n${oneLine(unusable(output)?.en ?? own`No results found.`)}`]
        : []),
      ...output.results.flatMap((hit) => [
        safe`\nTitle: ${lineText(hit.title)}`,
        safe`URL: ${inlineUrl(hit.url)}`,
        safe`Content: ${pageText(hit.content)}`,
        ...extras(hit),
      ]),
      ...imageLines(output.images),
      ...notes(concerns(output)),
    ],
    '\n',
  );
}

/** Failures and notes are placed first; pages share the remaining room, and a cut page has a cursor. */
export async function renderExtract(
  output: ExtractOutput,
  cursor: string | undefined,
  engine: ToolEngine,
): Promise<SafeText> {
  const { results } = output;
  const failed = output.failed_results.map((one) => safe`- ${inlineUrl(one.url)}: ${oneLine(one.error)}`);
  const render = (texts: FittedPage[]): SafeText =>
    joined(
      [
        own`Detailed Results:`,
        ...results.flatMap((page, index) => [
          safe`\nTitle: ${lineText(page.title)}`,
          safe`URL: ${inlineUrl(page.url)}`,
          safe`Raw Content: ${whole(texts[index])}`,
          ...(page.favicon === undefined ? [] : [safe`Favicon: ${inlineUrl(page.favicon)}`]),
          ...page.images.map((url) => safe`Image: ${inlineUrl(url)}`),
        ]),
        ...(failed.length === 0 ? [] : [own`\nFailed:`, ...failed]),
        ...notes([...pageConcerns(output), ...concerns(output)]),
      ],
      '\n',
    );
  const options = { taken: render([]).length, cursor, escape: pageText };
  return render(await fitPageTexts(results, options, engine));
}

const whole = ({ text, rest }: FittedPage = { text: own`` }): SafeText =>
  rest === undefined
    ? text
    : safe`${text}\n\n[More follows, about ${rest.tokens} tokens: call tavily_extract with only this URL and cursor "${named(rest.cursor)}".]`;

const PREVIEW_CHARS = 200;

export function renderCrawl(output: CrawlOutput): SafeText {
  return joined(
    [
      own`Crawl Results:`,
      safe`Base URL: ${inlineUrl(output.base_url)}`,
      own`\nCrawled Pages:`,
      ...output.results.flatMap((page, index) => [
        safe`\n[${index + 1}] URL: ${inlineUrl(page.url)}`,
        ...(page.raw_content === '' ? [] : [safe`Content: ${preview(page.raw_content)}`]),
        ...(page.favicon === undefined ? [] : [safe`Favicon: ${inlineUrl(page.favicon)}`]),
      ]),
      ...(output.results.length === 0 ? [own`\nNo pages found.`] : []),
      ...skipped(output),
      ...notes([...more(output), ...concerns(output)]),
    ],
    '\n',
  );
}

export const renderMap = (output: MapOutput): SafeText =>
  joined(
    [
      own`Site Map Results:`,
      safe`Base URL: ${inlineUrl(output.base_url)}`,
      own`\nMapped Pages:`,
      ...output.results.map((url, index) => safe`\n[${index + 1}] URL: ${inlineUrl(url)}`),
      ...(output.results.length === 0 ? [own`\nNo pages found.`] : []),
      ...skipped(output),
      ...notes([...more(output), ...concerns(output)]),
    ],
    '\n',
  );

const SKIPPED_MAX = 20;

function skipped({ skipped: pages }: Pick<CrawlOutput, 'skipped'>): SafeText[] {
  if (pages.length === 0) return [];
  const rest = pages.length - SKIPPED_MAX;
  return [
    own`\nNot read:`,
    ...pages.slice(0, SKIPPED_MAX).map(({ url, reason }) => safe`- ${inlineUrl(url)}: ${oneLine(reason)}`),
    ...(rest > 0 ? [own`- and ${rest} more`] : []),
  ];
}

const extras = (hit: SearchHit): SafeText[] => [
  ...(hit.raw_content === null ? [] : [safe`Raw Content: ${pageText(hit.raw_content)}`]),
  ...(hit.favicon === undefined ? [] : [safe`Favicon: ${inlineUrl(hit.favicon)}`]),
];

const imageLines = (images: readonly Image[]): SafeText[] =>
  images.length === 0
    ? []
    : [
        own`\nImages:`,
        ...images.flatMap((image, index) => {
          const { url, description } =
            typeof image === 'string' ? { url: image, description: undefined } : image;
          return [
            safe`\n[${index + 1}] URL: ${inlineUrl(url)}`,
            ...(description == null || description === ''
              ? []
              : [safe`   Description: ${lineText(oneLine(description))}`]),
          ];
        }),
      ];

/** The original shows 200 characters of a crawled page; tavily_extract reads the whole page. */
const preview = (text: string): SafeText => {
  const clean = pageText(text);
  return clean.length <= PREVIEW_CHARS ? clean : safe`${cut(clean)}...`;
};

const cut = (text: SafeText): SafeText => clip(text, PREVIEW_CHARS + 1).slice(0, -1) as SafeText;

const more = (output: { cursor?: string | undefined }): OwnText[] =>
  output.cursor === undefined ? [] : [own`There are more pages; raise limit to see them.`];

const notes = (warnings: OwnText[]): SafeText[] =>
  warnings.length === 0 ? [] : [own``, ...warnings.map((warning) => safe`Note: ${oneLine(warning)}`)];

/** Escapes lines of a page that look like lines of this format. */
const pageText = lineEscaper(
  '(?:Detailed Results|Crawl Results|Site Map Results|Failed|Not read|Images?|Crawled Pages|Mapped Pages|Title|(?:Base |\\[\\s*\\d+\\s*\\]\\s*)?URL|(?:Raw )?Content|Answer|Favicon|Description|Note)\\s*:|\\[\\s*More follows',
);
