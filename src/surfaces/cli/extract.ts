import { existsSync, readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import type { ExtractHit, ExtractOutput } from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { extractBytes } from '../../operations/extract/extract-bytes.ts';
import { extract } from '../../operations/extract/extract.ts';
import { createCall, perform } from '../../operations/perform.ts';
import type { Command, CommandContext } from './command.ts';
import { describeFlags, flagsOf, readArgs } from './flags.ts';

const flags = flagsOf(extract.contract.input as z.ZodObject).filter((flag) => flag.field !== 'urls');
const usage = 'headgate extract URL… | FILE | - [--query …] [--format text] [--max-tokens N] [--json]';

/** Reads pages from the web, a file, or standard input. */
export const command: Command = {
  name: 'extract',
  usage,
  summary: 'Read pages as clean Markdown or text.',
  run: async (context) => {
    const { args, print, say, signal, open } = context;
    const { input, values, positionals } = readArgs(args, flags, {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    });
    if (values['help'] === true) {
      print(`Read pages as clean Markdown or text.\n\n  ${usage}\n\n${describeFlags(flags)}\n`);
      return 0;
    }
    const [first] = positionals;
    if (first === undefined)
      throw new HeadgateError('invalid_request', 'What to read is missing.', {
        remediation: `Usage: ${usage}`,
      });
    const local = positionals.length === 1 ? await readLocal(first, context) : undefined;
    const opened = await open();
    try {
      const call = createCall(opened.services, { signal });
      if (local !== undefined) {
        const hit = await extractBytes(local, input, call, opened.services);
        print(values['json'] === true ? `${JSON.stringify(hit, null, 2)}\n` : `${renderHit(hit)}\n`);
        return 0;
      }
      const output = await perform(extract, { ...input, urls: positionals }, call, opened.services);
      print(values['json'] === true ? `${JSON.stringify(output, null, 2)}\n` : render(output));
      for (const failed of output.failed_results)
        say(`headgate: ${failed.url}: ${failed.error} (${failed.code})\n`);
      for (const warning of output.warnings) say(`headgate: ${warning}\n`);
      return output.results.length === 0 ? 1 : 0;
    } finally {
      await opened.close();
    }
  },
};

const render = (output: ExtractOutput): string =>
  output.results.map((hit) => `${renderHit(hit)}\n`).join('\n---\n\n');

function renderHit(hit: ExtractHit): string {
  const notes = [
    ...(hit.outcome === 'degraded' ? [`(degraded: ${hit.reason ?? 'little content'})`] : []),
    ...(hit.truncated && hit.cursor !== undefined ? [`(cut; read on with --cursor ${hit.cursor})`] : []),
  ];
  const title = hit.title === '' || hit.raw_content.startsWith('# ') ? [] : [`# ${hit.title}`];
  return [...title, hit.raw_content, ...notes].join('\n\n');
}

/** A file or standard input, bounded like a page; undefined for what looks like a URL. */
async function readLocal(
  name: string,
  { stdin }: CommandContext,
): Promise<{ bytes: Uint8Array; name: string } | undefined> {
  if (name === '-') return { bytes: await readAll(stdin), name: 'stdin' };
  if (/^https?:\/\//i.test(name) || !existsSync(name)) return undefined;
  const { size } = statSync(name);
  if (size > LIMITS.fetchBytesMax) throw tooLarge();
  return { bytes: readFileSync(name), name };
}

async function readAll(stdin: NodeJS.ReadStream): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Buffer);
    size += bytes.length;
    if (size > LIMITS.fetchBytesMax) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (): HeadgateError =>
  new HeadgateError('page_too_large', `A page may have at most ${LIMITS.fetchBytesMax} bytes.`, {
    remediation: 'Read a part of it.',
  });
