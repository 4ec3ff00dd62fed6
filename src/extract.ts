/** `headgate/extract`: pages to clean text and Markdown, without network, key or service. */
export type { Extracted, PageLink } from './extract/extracted.ts';
export { extractHtml, type HtmlOptions, htmlToMarkdown } from './extract/html.ts';
export { extractPage } from './extract/page.ts';
export type { ExtractOptions, Page } from './extract/page-bytes.ts';
export type { ExplainedBlock, ExplainedPass, Explanation } from './extract/passes/explain.ts';
export { createExtractPool, type ExtractPool, type PoolOptions } from './extract/pool.ts';
