import type { MapOutput } from '../../contract/crawl.ts';
import { map } from '../../operations/crawl/crawl.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: map,
  positional: 'url',
  render: (output: MapOutput) =>
    [...output.results, ...output.warnings.map((warning) => `! ${warning}`)].join('\n'),
});
