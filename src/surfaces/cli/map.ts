import type { MapOutput } from '../../contract/crawl.ts';
import { map } from '../../operations/crawl/crawl.ts';
import { concerns } from '../../tools/concerns.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: map,
  positional: 'url',
  render: (output: MapOutput) =>
    [
      ...output.results,
      ...(output.results.length === 0 ? ['No pages found.'] : []),
      ...(output.cursor === undefined ? [] : ['! There are more pages: raise --limit.']),
      ...output.skipped.map((one) => `! ${one.url}: ${one.reason}`),
      ...concerns(output).map((concern) => `! ${concern}`),
    ].join('\n'),
});
