import type { CrawlOutput } from '../../contract/crawl.ts';
import { joined, own, safe } from '../../core/own-text.ts';
import { plural } from '../../core/text.ts';
import { crawl } from '../../operations/crawl/crawl.ts';
import { concerns } from '../../tools/concerns.ts';
import { inlineUrl, lineEscaper } from '../../tools/markdown.ts';
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

/** A page keeps its lines, but none that separates pages or begins a note. */
const pageText = lineEscaper('headgate:|-{3,}\\s*$|!\\s|\\d+ pages?\\b');
