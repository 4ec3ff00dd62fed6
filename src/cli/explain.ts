import { plural } from '../core/text.ts';
import type { ExplainedPage } from '../operations/extract/explain.ts';
import { inlineUrl, lineText } from '../toolsets/markdown.ts';
import { renderTable } from './table.ts';

type Block = ExplainedPage['blocks'][number];
type Pass = ExplainedPage['passes'][number];

/** Renders what the extraction passes did: one line per block, then one per pass that changed something. */
export const renderExplained = (pages: ExplainedPage[]): string => pages.map(renderPage).join('\n');

function renderPage({ name, blocks, passes, omitted }: ExplainedPage): string {
  const more = omitted === 0 ? '' : `${plural(omitted, 'more block')} not listed.\n`;
  const busy = passes.filter(({ kept, dropped, rewritten }) => kept + dropped + rewritten > 0);
  return `${inlineUrl(name)}\n\n${blockTable(blocks)}${more}\n${passTable(busy)}`;
}

const blockTable = (blocks: Block[]): string =>
  renderTable(
    blocks,
    [
      { title: '', value: ({ isKept }) => (isKept ? 'kept' : 'dropped') },
      { title: 'p', align: 'right', value: ({ probability }) => probability?.toFixed(2) ?? null },
      { title: 'by', value: ({ steps }) => steps.findLast(({ did }) => did !== 'rewritten')?.pass ?? null },
      { title: 'element', value: ({ path }) => lineText(path) },
      { title: 'text', value: (block) => `${lineText(block.excerpt)}${remarksOn(block)}` },
    ],
    'The page has no text.',
  );

function remarksOn({ hidden, steps }: Block): string {
  const rewritten = steps.filter(({ did }) => did === 'rewritten').map(({ pass }) => pass);
  const remarks = [
    ...(hidden === undefined ? [] : [`hidden: ${lineText(hidden)}`]),
    ...(rewritten.length === 0 ? [] : [`rewritten by ${rewritten.join(', ')}`]),
  ];
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`;
}

const passTable = (passes: Pass[]): string =>
  renderTable(
    passes,
    [
      { title: 'pass', value: ({ name }) => name },
      { title: 'kept', align: 'right', value: ({ kept }) => kept },
      { title: 'dropped', align: 'right', value: ({ dropped }) => dropped },
      { title: 'rewritten', align: 'right', value: ({ rewritten }) => rewritten },
      { title: 'why', value: ({ why }) => why },
    ],
    'No pass changed anything.',
  );
