import type { z } from 'zod';
import type { ExtractHit, ExtractOutput } from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { extractFiles } from '../../operations/extract/extract-files.ts';
import { extract, readingTimeoutMs } from '../../operations/extract/extract.ts';
import { joined, named, own, safe } from '../../core/own-text.ts';
import type { SafeText } from '../../core/text.ts';
import { framed } from '../../operations/fit.ts';
import { inlineUrl, lineEscaper, lineText } from '../../tools/markdown.ts';
import { createCall, perform } from '../../operations/perform.ts';
import type { Command } from './command.ts';
import { flagsOf, inputOf } from './flags.ts';
import { isAddress, readFiles } from './local-files.ts';

const flags = flagsOf(extract.contract.input as z.ZodObject).filter((flag) => flag.field !== 'urls');

/** Reads pages from the web, from files, or from standard input. */
export const command: Command = {
  usage: 'URL… | FILE… | - [flags]',
  flags,
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const { args, print, say, signal, open } = context;
    const { words: positionals } = args;
    const input = inputOf(args, flags);
    if (positionals.length === 0)
      throw new HeadgateError('invalid_request', 'No URL or file was given.', {
        remediation: 'Give addresses, files, or - for standard input.',
      });
    const files = positionals.every(isAddress) ? undefined : await readFiles(positionals, context);
    const opened = await open();
    try {
      const timeoutMs = readingTimeoutMs(positionals.length, opened.services.config.search.timeout_ms);
      const call = createCall(opened.services, { signal, timeoutMs });
      const output =
        files === undefined
          ? await perform(extract, { ...input, urls: positionals }, call, opened.services)
          : await extractFiles(files, input, call, opened.services);
      const isRendered = input['extract_depth'] === 'advanced' || files !== undefined;
      print(args.isOn('json') === true ? `${JSON.stringify(output, null, 2)}\n` : render(output, isRendered));
      for (const failed of output.failed_results)
        say(`headgate: ${failed.url}: ${failed.error} (${failed.code})\n`);
      for (const warning of output.warnings) say(`headgate: ${warning}\n`);
      return output.results.length === 0 ? 1 : 0;
    } finally {
      await opened.close();
    }
  },
};

/** The pages one below the other; where there are several, each says first where it is from. */
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

/** A page keeps its lines, but none that looks like a note of ours, or separates pages where there are several. */
const NOTES = 'headgate:|!\\s|Images:|Icon:|\\(degraded:|\\(cut;';
const onePage = lineEscaper(NOTES);
const oneOfMany = lineEscaper(`${NOTES}|-{3,}\\s*$`);

function renderHit(hit: ExtractHit, isRendered: boolean, escape: typeof onePage): SafeText {
  const isDrawn = !isRendered && hit.reason?.includes('script') === true;
  const advice = isDrawn ? own` With --extract-depth advanced its scripts are run.` : '';
  const images = joined(
    hit.images.map((url) => safe`- ${inlineUrl(url)}`),
    '\n',
  );
  const parts = [
    ...(hit.title === '' || hit.raw_content.startsWith('# ') ? [] : [safe`# ${lineText(hit.title)}`]),
    escape(framed({ ...hit, text: hit.raw_content.trimEnd() })),
    ...(images === '' ? [] : [safe`Images:\n${images}`]),
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
