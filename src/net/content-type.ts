import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';

const PDF = 'application/pdf';

/** Types that are text or can be converted to text. Images, archives, media and programs are not. */
const READABLE =
  /^(text\/[\w.+-]+|application\/(xhtml\+xml|xml|json|pdf|x-pdf|x-ndjson|ndjson|jsonl|rss|atom|[\w.-]+\+(xml|json)))$/;

/** Types that servers send when they do not know; the bytes decide then. */
const UNKNOWN =
  /^(|application\/(octet-stream|x-unknown|unknown|force-download|download)|binary\/octet-stream|unknown\/unknown|\*\/\*)$/;

/** The media type without parameters: `text/html` for `Text/HTML; charset=utf-8`. */
export const essenceOf = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** Refuses unreadable types before the body is fetched. */
export function checkDeclaredType(header: string | undefined): void {
  const declared = essenceOf(header);
  if (!READABLE.test(declared) && !UNKNOWN.test(declared)) throw refuse(kindOf(declared));
}

/** The type that the header and the first bytes agree on. A header that the bytes contradict is refused. */
export function checkedType(header: string | undefined, bytes: Uint8Array): string {
  checkDeclaredType(header);
  const declared = essenceOf(header);
  const sniffed = sniffType(bytes);
  if (sniffed === undefined) throw refuse('binary data');
  if (sniffed === PDF) return PDF;
  const wrong = UNKNOWN.test(declared) || /^application\/(x-)?pdf$/.test(declared);
  return wrong ? sniffed : declared;
}

/** Detects the type from the first KiB; undefined for binary data that is not a PDF. */
export function sniffType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, LIMITS.fetchSniffBytes));
  const text = head.toString('latin1');
  if (/^(\xEF\xBB\xBF)?\s*%PDF-/.test(text)) return PDF;
  if (SIGNATURES.test(text)) return undefined;
  const characters = isWide(head) ? text.replace(/\0/g, '').replace(/^(\xFF\xFE|\xFE\xFF)/, '') : text;
  const binary = characters.match(/[\0-\x08\x0B\x0E-\x1A\x1C-\x1F]/g)?.length ?? 0;
  // A stray control character does not make a page binary; many do.
  if (binary > characters.length / 10) return undefined;
  const start = characters.replace(/^\xEF\xBB\xBF/, '').trimStart();
  if (HTML.test(start)) return 'text/html';
  if (/^<\?xml|^<(rss|feed)\b/i.test(start)) return 'application/xml';
  return /^[[{]/.test(start) ? 'application/json' : 'text/plain';
}

/**
 * Signatures of PNG, JPEG, GIF, zip, gzip, ELF, RAR, 7z, RIFF, MP4, Ogg, ID3, xz, zstd, bzip2, Windows
 * programs, old Office files and WebAssembly.
 */
const SIGNATURES =
  /^(\x89PNG|\xFF\xD8\xFF|GIF8[79]a|PK\x03\x04|\x1F\x8B|\x7FELF|Rar!\x1A|7z\xBC\xAF|RIFF[^]{4}(WEBP|WAVE|AVI )|[^]{4}ftyp|OggS\0|ID3[\x02-\x04]\0|\xFD7zXZ\0|\x28\xB5\x2F\xFD|BZh[1-9]1AY|MZ[\x90\0]|\xD0\xCF\x11\xE0|\0asm)/;

const HTML =
  /^(<!--[^]*?-->\s*)*<(!doctype html|html|head|body|title|meta|script|style|div|p|h1|table|a|br|iframe)\b/i;

/** Detects UTF-16 with or without a byte order mark: every other byte of western text is zero. */
function isWide(head: Buffer): boolean {
  if (/^(\xFF\xFE|\xFE\xFF)/.test(head.toString('latin1', 0, 2))) return true;
  const zeros = [0, 0];
  head.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  return Math.max(even, odd) > head.length * 0.3 && Math.min(even, odd) < head.length * 0.05;
}

/** Names for types in messages. The header itself is untrusted and never repeated. */
const KINDS = [
  [/^image\//, 'an image'],
  [/^audio\//, 'a sound'],
  [/^video\//, 'a video'],
  [/^font\//, 'a font'],
  [/zip|compressed|tar$|rar$/, 'an archive'],
  [/msword|officedocument|ms-excel|ms-powerpoint|opendocument/, 'an office document'],
] as const;

const kindOf = (type: string) => KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'of another type';

const refuse = (what: 'binary data' | ReturnType<typeof kindOf>): HeadgateError =>
  new HeadgateError('unsupported_type', own`This page is ${what}, which cannot be read as text.`, {
    remediation: 'HTML, XML, JSON, plain text, feeds and PDF can be.',
  });
