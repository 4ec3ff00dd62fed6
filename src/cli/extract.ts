import type { z } from 'zod';
import type { ExtractHit, ExtractOutput } from '../contract/extract.ts';
import { switchFlag, type Flag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { explaining, type ExplainedPage } from '../operations/extract/explain.ts';
import { extractFiles } from '../operations/extract/extract-files.ts';
import { extract } from '../operations/extract/extract.ts';
import { joined, named, own, safe } from '../core/own-text.ts';
import { type SafeText, plural } from '../core/text.ts';
import { framed } from '../rank/frame.ts';
import { inlineUrl, lineEscaper, lineText } from '../toolsets/markdown.ts';
import { createCall, perform, readingTimeoutMs } from '../operations/perform.ts';
import type { Command } from './command.ts';
import { flagsOf, inputOf } from './flags.ts';
import { isAddress, readFiles } from './local-files.ts';
import { renderTable } from './table.ts';

const fieldFlags = flagsOf(extract.contract.input as z.ZodObject).filter((flag) => flag.field !== 'urls');
const flags: Flag[] = [
  ...fieldFlags,
  switchFlag('explain', 'Show which pass kept or dropped each block of the page, instead of its content.'),
];

/** Reads pages from the web, from files, or from standard input. */
export const command: Command = {
  usage: 'URL… | FILE… | - [flags]',
  flags,
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const { args, printResult, say, signal, open } = context;
    const { words: positionals } = args;
    const input = inputOf(args, fieldFlags);
    if (positionals.length === 0)
      throw new HeadgateError('invalid_request', 'No URL or file was given.', {
        remediation: 'Give addresses, files, or - for standard input.',
      });
    const files = positionals.every(isAddress) ? undefined : await readFiles(positionals, context);
    const opened = await open();
    const timeoutMs = readingTimeoutMs(positionals.length, opened.services.config.search.timeout_ms);
    const nameOf = (page: { bytes: Uint8Array; url?: string }): string =>
      page.url ?? files?.find(({ bytes }) => bytes === page.bytes)?.name ?? '';
    const { services, explained } =
      args.isOn('explain') === true
        ? explaining(opened.services, nameOf)
        : { services: opened.services, explained: undefined };
    const call = createCall(services, { signal, timeoutMs, surface: 'cli' });
    const output =
      files === undefined
        ? await perform(extract, { ...input, urls: positionals }, { call, services })
        : await extractFiles(files, input, { call, services });
    const isRendered = input['extract_depth'] === 'advanced' || files !== undefined;
    if (explained === undefined) printResult(output, () => render(output, isRendered));
    else printResult(explained, () => renderExplained(explained));
    if (explained?.length === 0) say(`headgate: ${UNEXPLAINED}\n`);
    for (const failed of output.failed_results)
      say(`headgate: ${failed.url}: ${failed.error} (${failed.code})\n`);
    for (const warning of output.warnings) say(`headgate: ${warning}\n`);
    return (explained ?? output.results).length === 0 ? 1 : 0;
  },
};

const UNEXPLAINED =
  'Nothing to explain: only HTML pages that Headgate reads itself can be explained. Use --provider headgate.';

/** Prints the pages in order; with several pages, each is preceded by its address. */
function render(
  { results, failed_results }: Pick<ExtractOutput, 'results' | 'failed_results'>,
  isRendered: boolean,
): SafeText {
  const isOne = results.length + failed_results.length === 1;
  const escape = isOne ? onePage : oneOfMany;
  return joined(
    results.map(
      (hit) => safe`${isOne ? '' : safe`${inlineUrl(hit.url)}\n\n`}${renderHit(hit, isRendered, escape)}\n`,
    ),
    '\n---\n\n',
  );
}

/** Escapes lines of a page that look like our notes or, with several pages, like a page separator. */
const NOTES = 'headgate:|!\\s|Images:|Removed, |Icon:|\\(degraded:|\\(cut;';
const onePage = lineEscaper(NOTES);
const oneOfMany = lineEscaper(`${NOTES}|-{3,}\\s*$`);

function renderHit(hit: ExtractHit, isRendered: boolean, escape: typeof onePage): SafeText {
  const isDrawn = !isRendered && hit.reason?.includes('script') === true;
  const advice = isDrawn ? own` With --extract-depth advanced its scripts are run.` : '';
  const images = joined(
    hit.images.map((url) => safe`- ${inlineUrl(url)}`),
    '\n',
  );
  const instructions = joined(
    (hit.instructions ?? []).map((text) => safe`- ${lineText(text)}`),
    '\n',
  );
  const removed = joined(
    (hit.removed ?? []).map(({ why, excerpt }) => safe`- (${lineText(why)}) ${lineText(excerpt)}`),
    '\n',
  );
  const parts = [
    ...(hit.title === '' || hit.raw_content.startsWith('# ') ? [] : [safe`# ${lineText(hit.title)}`]),
    escape(framed({ ...hit, text: hit.raw_content.trimEnd() })),
    ...(images === '' ? [] : [safe`Images:\n${images}`]),
    ...(removed === '' ? [] : [safe`Removed, words of the page that readers cannot see:\n${removed}`]),
    ...(instructions === ''
      ? []
      : [safe`Left in, words of the page that speak to a model:\n${instructions}`]),
    ...(hit.favicon === undefined ? [] : [safe`Icon: ${inlineUrl(hit.favicon)}`]),
    ...(hit.outcome === 'degraded' ? [own`(degraded: ${hit.reason ?? 'Little content.'}${advice})`] : []),
    ...(hit.cursor === undefined
      ? []
      : [own`(cut; about ${hit.remaining_tokens ?? 0} tokens follow: --cursor ${named(hit.cursor)})`]),
  ];
  return joined(
    parts.filter((part) => part !== ''),
    '\n\n',
  );
}

type Block = ExplainedPage['blocks'][number];
type Pass = ExplainedPage['passes'][number];

/** Renders what the extraction passes did: one line per block, then one per pass that changed something. */
const renderExplained = (pages: ExplainedPage[]): string => pages.map(renderPage).join('\n');

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
