import { hide } from '../core/log.ts';
import { encodings } from '../policy/known-values.ts';
import { findSecrets, readText, withoutSecrets } from '../policy/secrets.ts';

/** Names of parameters and fields that hold credentials. */
const SECRET_NAME =
  /^(api[-_]?key|apikey|key|x-api-key|subscription[-_]?(key|token)|(access|auth|refresh|id|session|bearer)[-_]?token|token|auth|authorization|pass(word|wd)?|secret|client[-_]?secret|sig|signature|x-amz-.*|session(id)?)$/i;
const SECRET = '[secret]';

/** Headers of a request that say what is asked for. Whatever else is sent may be a credential, and is not kept. */
const ASKED = /^(accept|accept-language|content-type|user-agent)$/;
/** Headers of an answer that somebody reads. Everything else is of the connection, of a session, or changes with every answer. */
const ANSWERED =
  /^(content-(type|language|location|disposition|usage|signal)|last-modified|etag|location|link|refresh|retry-after|x-robots-tag|(x-)?ratelimit.*|tdm-.*|crawler-.*|cf-mitigated)$/;

/** Secrets that are looked for in everything that is kept. */
export interface KnownSecrets {
  /** Each in all its spellings. */
  spellings: readonly string[];
  /** Whether one of them is in these bytes. */
  isIn(bytes: Buffer): boolean;
}

/** What is shorter is no secret. */
const CHARS_MIN = 6;

/**
 * Finds many secrets in one pass, as Wu and Manber do: of every two bytes it is known how far the nearest secret that has them can
 * end from there, and in a usual text most bytes are passed over.
 */
export function knownSecrets(secrets: readonly string[]): KnownSecrets {
  const spellings = spellingsOf(secrets).filter(({ length }) => length >= CHARS_MIN);
  const needles = spellings.map((spelling) => Buffer.from(spelling));
  const length = Math.min(256, ...needles.map((needle) => needle.length));
  const shifts = new Uint8Array(1 << 16).fill(length - 1);
  const byEnd = new Map<number, Buffer[]>();
  for (const needle of needles) {
    for (let at = 1; at < length; at += 1) {
      const pair = pairAt(needle, at);
      shifts[pair] = Math.min(shifts[pair] ?? 0, length - 1 - at);
    }
    const end = pairAt(needle, length - 1);
    byEnd.set(end, [...(byEnd.get(end) ?? []), needle]);
  }
  const isAt = (bytes: Buffer, from: number, pair: number): boolean =>
    (byEnd.get(pair) ?? []).some((needle) => needle.equals(bytes.subarray(from, from + needle.length)));
  const isIn = (bytes: Buffer): boolean => {
    for (let at = length - 1; at < bytes.length;) {
      const pair = pairAt(bytes, at);
      const shift = shifts[pair] ?? 0;
      if (shift === 0 && isAt(bytes, at - length + 1, pair)) return true;
      at += shift === 0 ? 1 : shift;
    }
    return false;
  };
  return { spellings, isIn: needles.length === 0 ? () => false : isIn };
}

/** Two neighbouring bytes as a number. */
const pairAt = (bytes: Buffer, at: number): number => ((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0);

/** The same, and what one request carries as a credential. */
export const withCredentials = (
  { spellings, isIn }: KnownSecrets,
  credentials: readonly string[],
): KnownSecrets => ({
  spellings: [...spellings, ...credentials],
  isIn: (bytes) => isIn(bytes) || credentials.some((credential) => bytes.includes(credential)),
});

/** The ways in which somebody to whom a secret was sent may write it. */
const spellingsOf = (secrets: readonly string[]): string[] => [
  ...new Set(
    secrets.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      // The parts of a short one that do not depend on its neighbours may be anything.
      ...[...encodings(secret)]
        .filter(({ length }) => length >= 12)
        .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_'), form.toUpperCase()]),
    ]),
  ),
];

/** Text without secrets: those that are known, and what looks like one. */
const cleaned = (text: string, { spellings, isIn }: KnownSecrets): string =>
  scanned(isIn(Buffer.from(text)) ? hide(text, spellings) : text);

/** Text without what looks like a key or a token, as it is or encoded. */
const scanned = (text: string): string => {
  // No key is shorter, and most texts have no such word.
  if (!/[\w+%=~-]{12,}/.test(text)) return text;
  const found = findSecrets(readText(text));
  return found.length === 0 ? text : withoutSecrets(text, found);
};

/** Kinds of keys and tokens in what was answered. Nobody packs a secret into a page, so it is read as it is. */
export const secretsInAnswer = (text: string) => findSecrets({ plain: text, at: undefined, parts: [] });

/** What is shorter may be any word. */
const isLongEnough = ({ length }: string): boolean => length >= 8;

/** What a request carries as a credential. Whoever got it may repeat it. */
export function credentialsOf(url: URL, headers: Record<string, string>, body = ''): string[] {
  const found = [...url.searchParams].flatMap(([name, value]) => (SECRET_NAME.test(name) ? value : []));
  for (const [name, value] of Object.entries(headers))
    if (/auth|cookie|key|token|secret|session|pass/i.test(name))
      found.push(value, ...value.split(/[\s;,=]+/));
  if (body === '') return found.filter(isLongEnough);
  const note = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && SECRET_NAME.test(name)) found.push(value);
    return value;
  };
  try {
    JSON.parse(body, note);
  } catch {
    for (const [name, value] of new URLSearchParams(body)) note(name, value);
  }
  return found.filter(isLongEnough);
}

/** An address without credentials. */
export function scrubUrl(text: string, secrets: KnownSecrets): string {
  const url = URL.parse(text);
  if (url === null) return cleaned(text, secrets);
  url.username = '';
  url.password = '';
  for (const name of new Set(url.searchParams.keys()))
    if (SECRET_NAME.test(name)) url.searchParams.set(name, SECRET);
  return cleaned(url.href, secrets);
}

/** A body of JSON or of a form without credentials. */
export function scrubBody(body: string, secrets: KnownSecrets): string {
  try {
    return cleaned(JSON.stringify(JSON.parse(body, withoutSecret)), secrets);
  } catch {
    const named = body.replaceAll(/(^|&)([^=&]+)=([^&]*)/g, (whole, before: string, name: string) =>
      SECRET_NAME.test(name) ? `${before}${name}=${SECRET}` : whole,
    );
    return cleaned(named, secrets);
  }
}

const withoutSecret = (name: string, value: unknown): unknown =>
  typeof value === 'string' && SECRET_NAME.test(name) ? SECRET : value;

export const scrubRequestHeaders = (
  headers: Record<string, string>,
  secrets: KnownSecrets,
): Record<string, string> => kept(headers, ASKED, (value) => cleaned(value, secrets));

export const scrubAnswerHeaders = (
  headers: Record<string, string>,
  secrets: KnownSecrets,
): Record<string, string> =>
  kept(headers, ANSWERED, (value, name) =>
    /^(content-)?location$/.test(name) ? scrubLocation(value, secrets) : cleaned(value, secrets),
  );

/** Text in an answer: a provider that repeats a key, or a page that shows one. */
export function scrubBytes(bytes: Buffer, { spellings, isIn }: KnownSecrets): Buffer {
  if (!isIn(bytes)) return bytes;
  // Latin-1 keeps every byte as it is.
  const text = hide(
    bytes.toString('latin1'),
    spellings.map((secret) => Buffer.from(secret).toString('latin1')),
  );
  return Buffer.from(text, 'latin1');
}

/** A redirect may be relative; then it has no credentials but in its parameters. */
function scrubLocation(value: string, secrets: KnownSecrets): string {
  const base = 'http://relative.invalid';
  const url = URL.parse(value, base);
  if (url === null) return cleaned(value, secrets);
  const scrubbed = scrubUrl(url.href, secrets);
  return URL.parse(value) === null && url.href.startsWith(base) ? scrubbed.slice(base.length) : scrubbed;
}

function kept(
  headers: Record<string, string>,
  names: RegExp,
  scrub: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]): [string, string] => [name.toLowerCase(), value])
      .filter(([name]) => names.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, scrub(value, name)]),
  );
}
