import { readFileSync, statSync } from 'node:fs';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { byteSize } from '../core/text.ts';
import type { LocalFile } from '../operations/extract/extract-files.ts';
import type { CommandContext } from './command.ts';

/** Whether an argument is a web address, or looks like one. */
export const isAddress = (word: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(word);

/** Reads files and standard input (`-`), with the size limit of a page. */
export async function readFiles(names: string[], { stdin }: CommandContext): Promise<LocalFile[]> {
  const address = names.find(isAddress);
  if (address !== undefined)
    throw new HeadgateError('invalid_request', 'Files and addresses cannot be read in one call.', {
      remediation: own`Read ${named(address)} in a call of its own.`,
    });
  const files: LocalFile[] = [];
  for (const name of names)
    files.push(
      name === '-' ? { name: 'stdin', bytes: await readAll(stdin()) } : { name, bytes: readFile(name) },
    );
  return files;
}

function readFile(name: string): Uint8Array {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined)
    throw new HeadgateError('invalid_request', own`There is no file ${named(name)} here.`, {
      remediation: looksLikeHost(name)
        ? own`If you mean a page on the web, write https://${named(name)}`
        : own`Check the path.`,
    });
  if (!found.isFile())
    throw new HeadgateError('invalid_request', own`${named(name)} is a folder.`, {
      remediation: 'Name the files in it, or make it searchable with `headgate library add`.',
    });
  if (found.size > LIMITS.fetchBytesMax) throw tooLarge(name);
  return readFileSync(name);
}

/** `example.com/page`, but not `page.html` or a path. */
const looksLikeHost = (name: string): boolean =>
  /^[a-z\d-]+(\.[a-z\d-]+)+([:/?#]|$)/i.test(name) && !/^[^/]+\.(html?|md|txt|pdf|xml|json)$/i.test(name);

async function readAll(stdin: NodeJS.ReadStream): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Buffer);
    size += bytes.length;
    if (size > LIMITS.fetchBytesMax) throw tooLarge('Standard input');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (name: string): HeadgateError =>
  new HeadgateError('page_too_large', own`${named(name)} is larger than ${byteSize(LIMITS.fetchBytesMax)}.`, {
    remediation: 'Read a part of it.',
  });
