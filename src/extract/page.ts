import { HeadgateError } from '../core/errors.ts';
import { named, warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { cleanText } from '../core/text.ts';
import { decodeBytes } from './parse/charset.ts';
import { type Extracted, plainExtracted } from './extracted.ts';
import { extractHtml } from './html.ts';
import { isPdf, type ExtractOptions, type Page } from './page-bytes.ts';
import type { ReadingPool } from './reading-pool.ts';

type Kind = Extracted['kind'];

/**
 * Extracts any supported document: HTML, PDF, plain text, Markdown, JSON, XML or a feed. The bytes decide
 * the type; the content type counts only if they are ambiguous.
 */
export async function extractPage(page: Page, options: ExtractOptions = {}): Promise<Extracted> {
  const type = (page.contentType ?? '').toLowerCase();
  if (isPdf(page.bytes)) return readPdf(page);
  const decoded = decodeBytes(page.bytes, type);
  const kind = kindOf(decoded.text, type, page.bytes);
  const found = await readKind(kind, decoded.text, page, options);
  if (decoded.isGuess) found.warnings.push(warned`charset_guess: read as ${named(decoded.charset)}`);
  return found;
}

async function readKind(kind: Kind, text: string, page: Page, options: ExtractOptions): Promise<Extracted> {
  const { url } = page;
  if (kind === 'html') return extractHtml(text, { ...options, ...(url === undefined ? {} : { url }) });
  if (kind === 'feed') return (await import('./feed.ts')).extractFeed(text, url);
  if (kind === 'json') return extractJson(text, url);
  const clean = cleanText(text).trim();
  if (kind === 'xml') return plainExtracted(kind, titleFromUrl(url), clean, `\`\`\`xml\n${clean}\n\`\`\``);
  const heading = kind === 'markdown' ? /^#\s+(.+)$/m.exec(clean)?.[1] : undefined;
  return plainExtracted(kind, heading ?? titleFromUrl(url), clean, clean);
}

/**
 * The PDF pool of callers without a pool. Its processes end when idle and do not keep the program running.
 */
const pdfs = { pool: undefined as ReadingPool | undefined };

async function readPdf(page: Page): Promise<Extracted> {
  pdfs.pool ??= (await import('./pdf-process.ts')).createPdfPool();
  return pdfs.pool.extract(page);
}

const BINARY =
  /^(image|audio|video|font)\/(?!svg)|octet-stream|application\/(zip|gzip|x-|vnd\.(?!.*(xml|json))|wasm|msword)/;

function kindOf(text: string, type: string, bytes: Uint8Array): Kind {
  const start = text.slice(0, 2_000).trimStart();
  if (/^<(\?xml|!--|rss|feed|rdf)/i.test(start) && /<(rss|feed|rdf:RDF)[\s>]/i.test(start)) return 'feed';
  if (
    /^(<!--[^]{0,1000}?-->\s*)?<(!doctype html|html|head|body|div|p|h1|article|main|meta|title|script|table)[\s>/]/i.test(
      start,
    )
  )
    return 'html';
  if (isBinary(bytes)) throw unsupported();
  if (/json/.test(type) && /^[[{"]/.test(start)) return 'json';
  if (/html/.test(type)) return 'html';
  if (/markdown/.test(type)) return 'markdown';
  if (BINARY.test(type) && !isText(text)) throw unsupported();
  if (/^[[{]/.test(start) && isJson(text)) return 'json';
  if (/xml/.test(type) && start.startsWith('<')) return isXhtml(start) ? 'html' : 'xml';
  if (type === '' && start.startsWith('<?xml') && !isXhtml(start)) return 'xml';
  if (type === '' && start.startsWith('<')) return 'html';
  return 'text';
}

const isXhtml = (start: string): boolean => /xhtml|<html[\s>]/i.test(start);

const unsupported = (): HeadgateError =>
  new HeadgateError('unsupported_type', 'The page is not text.', {
    remediation: 'HTML, PDF, plain text, Markdown, JSON, XML and feeds can be read.',
  });

/** Text has no zero bytes, except in UTF-16. */
function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 8_192);
  const zeros = sample.reduce((sum, byte) => sum + Number(byte === 0), 0);
  return zeros > sample.length * 0.02 && zeros < sample.length * 0.2;
}

const isText = (text: string): boolean => {
  const sample = text.slice(0, 4_096);
  return (sample.match(/[\u0000-\u0008\u000E-\u001F\uFFFD]/g)?.length ?? 0) < sample.length * 0.02;
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON: the answer, not an error.
    return false;
  }
}

function extractJson(text: string, url: string | undefined): Extracted {
  // Indentation grows with the square of the depth.
  const isFlat = depthOf(text) <= LIMITS.jsonDepthMax;
  const pretty = isFlat && isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const clean = cleanText(pretty).trim();
  return plainExtracted('json', titleFromUrl(url), clean, `\`\`\`json\n${clean}\n\`\`\``);
}

/** The maximum nesting depth of the brackets in a text. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

function titleFromUrl(url: string | undefined): string {
  const path = url === undefined ? undefined : URL.parse(url)?.pathname;
  const last = path?.split('/').findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    // A broken escape in an address is shown as it is.
    return last;
  }
}
