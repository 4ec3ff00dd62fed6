import { crc32 } from 'node:zlib';
import { decodedParts, unmasked, type DecodedPart } from './decoded.ts';
import { isRandom } from './known-values.ts';
import { NAMED_SECRETS, SECRET_KINDS, type SecretCheck } from './secret-kinds.ts';

/** Something in a text that looks like a secret. */
export interface FoundSecret {
  /** What it looks like; never the secret itself. */
  kind: string;
  from: number;
  to: number;
}

/** A text as it is meant, and whatever it may say in another encoding. */
export interface ReadText {
  plain: string;
  /** The place of every character in the original, where that differs. */
  at: number[] | undefined;
  parts: DecodedPart[];
}

export function readText(text: string): ReadText {
  const { text: plain, at } = unmasked(text);
  return { plain, at, parts: decodedParts(plain) };
}

/** Every reading of a text. */
export const readings = ({ plain, parts }: ReadText): string[] => [plain, ...parts.map(({ text }) => text)];

/** Keys and tokens in a text, by their formats; in order, without overlaps. */
export function findSecrets({ plain, at, parts }: ReadText): FoundSecret[] {
  const found = inPlain(plain);
  for (const { text: decoded, from, to } of parts)
    for (const { kind } of inPlain(decoded)) found.push({ kind, from, to });
  if (found.length === 0) return found;
  const placed = found.map(({ kind, from, to }) => ({
    kind,
    from: at?.[from] ?? from,
    to: at?.[to] ?? to,
  }));
  return withoutOverlaps(placed);
}

/** The text with `[secret]` in the place of every secret. */
export function withoutSecrets(text: string, found: readonly FoundSecret[]): string {
  let [rest, at] = ['', 0];
  for (const { from, to } of found) {
    rest += `${text.slice(at, from)}[secret]`;
    at = to;
  }
  return rest + text.slice(at);
}

function withoutOverlaps(found: FoundSecret[]): FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const one of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const before = kept.at(-1);
    if (before === undefined || one.from >= before.to) kept.push(one);
    else before.to = Math.max(before.to, one.to);
  }
  return kept;
}

interface Format {
  kind: string;
  prefix: string;
  /** A letter or a digit comes before the prefix. */
  isInside: boolean;
  pattern: RegExp;
  check: SecretCheck | undefined;
}

interface Formats {
  /** The formats by the first two characters of their prefixes. */
  byHead: Map<number, Format[]>;
  heads: Uint8Array;
  named: { kind: string; pattern: RegExp }[];
}

let formats: Formats | undefined;

function allFormats(): Formats {
  if (formats !== undefined) return formats;
  const byHead = new Map<number, Format[]>();
  const heads = new Uint8Array(1 << 16);
  for (const { name: kind, prefixes, body, check } of SECRET_KINDS) {
    for (const given of prefixes) {
      const isInside = given.startsWith('<');
      const prefix = given.slice(isInside ? 1 : 0);
      const head = headOf(prefix, 0);
      heads[head] = 1;
      const pattern = new RegExp(`${body}(?![A-Za-z0-9])`, 'y');
      byHead.set(head, [...(byHead.get(head) ?? []), { kind, prefix, isInside, pattern, check }]);
    }
  }
  const named = NAMED_SECRETS.map(({ name: kind, pattern }) => ({
    kind,
    pattern: new RegExp(pattern, 'dgi'),
  }));
  formats = { byHead, heads, named };
  return formats;
}

const headOf = (text: string, at: number): number =>
  ((text.charCodeAt(at) << 8) | (text.charCodeAt(at + 1) & 0xff)) & 0xffff;

/** One pass over the text: only where a prefix begins, its formats are tried. */
function inPlain(text: string): FoundSecret[] {
  const { byHead, heads, named } = allFormats();
  const found: FoundSecret[] = [];
  for (let at = 0; at + 1 < text.length; at += 1) {
    const head = headOf(text, at);
    if (heads[head] === 0) continue;
    const isInside = isWordAt(text, at - 1);
    for (const format of byHead.get(head) ?? []) {
      if (format.isInside !== isInside || !text.startsWith(format.prefix, at)) continue;
      const to = endOf(text, at + format.prefix.length, format);
      if (to === undefined) continue;
      found.push({ kind: format.kind, from: isInside ? startOf(text, at) : at, to });
      at = to - 1;
      break;
    }
  }
  for (const { kind, pattern } of named) {
    for (const { indices } of text.matchAll(pattern)) {
      const [from, to] = indices?.[1] ?? [0, 0];
      if (isLikelySecret(text.slice(from, to))) found.push({ kind, from, to });
    }
  }
  return found;
}

function endOf(text: string, from: number, { pattern, check }: Format): number | undefined {
  pattern.lastIndex = from;
  if (!pattern.test(text)) return undefined;
  const to = pattern.lastIndex;
  const body = text.slice(from, to);
  if (entropyOf(body) < (check === 'mixed' ? 3.5 : 2.75) || PLACEHOLDER.test(body)) return undefined;
  return check === undefined || CHECKS[check](body) ? to : undefined;
}

const isWordAt = (text: string, at: number): boolean => /[A-Za-z0-9]/.test(text.charAt(at));

function startOf(text: string, at: number): number {
  let from = at;
  while (from > 0 && /[A-Za-z0-9_.~-]/.test(text.charAt(from - 1))) from -= 1;
  return from;
}

/** What manuals write where a secret belongs. */
const PLACEHOLDER = /example|(.)\1{5}|12345678|abcdefgh|your[_-]|changeme|placeholder|redacted/i;

const CHECKS: Record<SecretCheck, (body: string) => boolean> = {
  crc: (body) => checksum(body.slice(0, -6)) === body.slice(-6),
  jwt: (body) => isHeader(`eyJ${body.split('.')[0]}`),
  mixed: (body) => [/[a-z]/, /[A-Z]/, /[0-9]/].filter((some) => some.test(body)).length >= 2,
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The checksum in the tokens of GitHub: the CRC-32 of what comes before it, in base62. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let each = 0; each < 6; each += 1) {
    digits = `${BASE62.charAt(rest % 62)}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function isHeader(part: string): boolean {
  try {
    return 'alg' in (JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
  } catch {
    return false;
  }
}

/** Shannon's entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether what is called a secret looks like one, and not like a name, a path or an example. */
const isLikelySecret = (value: string): boolean =>
  // The words of a name are joined by hyphens and dots, and one of them may be random.
  (value.split(/[^A-Za-z0-9]+/).some((run) => run.length >= 12 && isRandom(run)) ||
    (!/[-.]/.test(value) && isRandom(value))) &&
  entropyOf(value) >= 3 &&
  !PLACEHOLDER.test(value);
