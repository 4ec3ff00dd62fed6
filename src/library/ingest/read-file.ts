import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeCharset } from '../../core/decode-charset.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { cleanText } from '../../core/text.ts';
import { extractPage } from '../../extract/page.ts';
import type { LibraryDocument } from '../document.ts';

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'text/html',
  '.pdf': 'application/pdf',
};
const MARKDOWN = new Set(['.md', '.markdown', '.mdx']);
const TEXT = new Set(['.txt', '.text', '.rst', '.adoc', '.asciidoc', '.org']);

/**
 * True when a file in a folder should be read, judged by its name. A file that is named explicitly is always
 * read.
 */
export function isDocument(path: string): boolean {
  const extension = extname(path).toLowerCase();
  return extension in CONTENT_TYPES || MARKDOWN.has(extension) || TEXT.has(extension);
}

/** Reads a file as a document. Throws a HeadgateError that says what is wrong with the file. */
export async function readFileDocument(path: string): Promise<LibraryDocument> {
  const bytes = readBounded(path);
  const url = pathToFileURL(path).href;
  const extension = extname(path).toLowerCase();
  const type = CONTENT_TYPES[extension];
  const base = { id: url, url, kind: 'file' as const };
  if (type === undefined) {
    const content = decodeFile(path, bytes);
    const format = MARKDOWN.has(extension) ? ('markdown' as const) : ('text' as const);
    return { ...base, title: documentTitleOf(content, format) ?? basename(path), content, format };
  }
  const page = await extractPage({ bytes, contentType: type, url });
  if (page.quality === 'degraded')
    throw new HeadgateError('extract_failed', page.reason ?? 'The file holds no text.');
  return {
    ...base,
    title: page.title === '' ? basename(path) : page.title,
    content: page.markdown,
    format: 'markdown',
    ...(page.publishedDate !== undefined && { publishedDate: page.publishedDate }),
  };
}

/** The first heading of a Markdown text, or the first line of a plain text when it looks like a title. */
export function documentTitleOf(content: string, format: 'markdown' | 'text'): string | undefined {
  const heading = /^#{1,2}\s+(.+)$/m.exec(content.slice(0, TITLE_LOOK_CHARS))?.[1]?.trim();
  if (format === 'markdown') return heading;
  const line = content.slice(0, TITLE_LOOK_CHARS).trimStart().split('\n', 1)[0]?.trim() ?? '';
  return line !== '' && line.length <= TITLE_CHARS_MAX ? line : undefined;
}

const TITLE_LOOK_CHARS = 4_000;
const TITLE_CHARS_MAX = 120;
const SNIFF_BYTES = 8_192;

/** Reads a regular file that is not too large. */
export function readBounded(path: string, bytesMax: number = LIMITS.libraryFileBytesMax): Uint8Array {
  const status = statSync(path);
  if (!status.isFile()) throw new HeadgateError('unsupported_type', 'This is not a regular file.');
  if (status.size > bytesMax) {
    throw new HeadgateError(
      'payload_too_large',
      own`The file has ${status.size} bytes; at most ${bytesMax} are read.`,
    );
  }
  return readFileSync(path);
}

/** Decodes a text file; anything else is refused. */
export function decodeFile(path: string, bytes: Uint8Array): string {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) {
    throw new HeadgateError('unsupported_type', own`${named(basename(path))} is a binary file.`);
  }
  try {
    return cleanText(decodeCharset(bytes, 'utf-8', { fatal: true }));
  } catch {
    return cleanText(decodeCharset(bytes, 'windows-1252'));
  }
}

/** The real path of a file if it is below one of the roots. Links that lead out are refused. */
export function allowedPath(path: string, roots: string[] | undefined): string {
  const real = realpathSync(path);
  if (roots === undefined) return real;
  const inside = roots.some((root) => {
    const realRoot = realpathSync(root);
    return real === realRoot || real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
  });
  if (!inside) {
    throw new HeadgateError('forbidden', 'This path is outside the folders that may be read.', {
      remediation: 'Add its folder to the allowed roots of the library.',
    });
  }
  return real;
}
