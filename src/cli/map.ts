import type { MapOutput } from '../contract/crawl.ts';
import { map } from '../operations/crawl/crawl.ts';
import { concerns } from '../toolsets/concerns.ts';
import { joined, own, safe } from '../core/own-text.ts';
import { inlineUrl } from '../toolsets/markdown.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: map,
  positional: 'url',
  render: (output: MapOutput) =>
    joined(
      [
        ...output.results.map(inlineUrl),
        ...(output.results.length === 0 ? [own`No pages found.`] : []),
        ...(output.cursor === undefined ? [] : [own`! There are more pages: raise --limit.`]),
        ...output.skipped.map((one) => safe`! ${inlineUrl(one.url)}: ${one.reason}`),
        ...concerns(output).map((concern) => own`! ${concern}`),
      ],
      '\n',
    ),
});
