/** `headgate/extract` for browsers and the edge: what needs neither threads nor processes. */
export { extractHtml, htmlToMarkdown } from './extract/html.ts';
