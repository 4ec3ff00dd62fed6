import type { CrawlOutput } from '../../contract/crawl.ts';
import { plural } from '../../core/text.ts';
import { crawl } from '../../operations/crawl/crawl.ts';
import { concerns } from '../../tools/concerns.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: crawl,
  positional: 'url',
  render: (output: CrawlOutput) =>
    [
      ...output.results.map((page) => `<!-- ${page.url} -->\n\n${page.raw_content}`),
      `${plural(output.results.length, 'page')}${output.cursor === undefined ? '' : '; there are more: raise --limit'}`,
      ...output.skipped.map((one) => `! ${one.url}: ${one.reason}`),
      ...concerns(output).map((concern) => `! ${concern}`),
    ].join('\n\n---\n\n'),
});
