import type { CrawlOutput } from '../contract/crawl.ts';
import { joined, own, safe } from '../core/own-text.ts';
import { plural } from '../core/text.ts';
import { crawl } from '../operations/crawl/crawl.ts';
import { concerns } from '../toolsets/concerns.ts';
import { inlineUrl, lineEscaper } from '../toolsets/markdown.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: crawl,
  positional: 'url',
  render: (output: CrawlOutput) =>
    joined(
      [
        ...output.results.map(
          (page) => safe`<!-- ${inlineUrl(page.url)} -->\n\n${pageText(page.raw_content)}`,
        ),
        own`${plural(output.results.length, 'page')}${output.cursor === undefined ? '' : '; there are more: raise --limit'}`,
        ...output.skipped.map((one) => safe`! ${inlineUrl(one.url)}: ${one.reason}`),
        ...concerns(output).map((concern) => own`! ${concern}`),
      ],
      '\n\n---\n\n',
    ),
});

/** Keeps the lines of a page, but escapes those that look like a page separator or a note. */
const pageText = lineEscaper('headgate:|-{3,}\\s*$|!\\s|\\d+ pages?\\b');
