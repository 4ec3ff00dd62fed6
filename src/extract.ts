/** `headgate/extract`: pages to clean text and Markdown, without network, key or service. */
export type { Extracted, PageLink } from './extract/extracted.ts';
export { extractHtml, type HtmlOptions, htmlToMarkdown } from './extract/html.ts';
export { type ExtractOptions, extractPage, type Page } from './extract/page.ts';
export { createExtractPool, type ExtractPool, type PoolOptions } from './extract/pool.ts';
