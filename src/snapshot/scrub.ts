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

/** The ways in which somebody to whom a secret was sent may write it. */
export const spellingsOf = (secrets: readonly string[]): string[] => [
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
export function scrubUrl(text: string, secrets: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null) return scanned(hide(text, [...secrets]));
  url.username = '';
  url.password = '';
  for (const name of new Set(url.searchParams.keys()))
    if (SECRET_NAME.test(name)) url.searchParams.set(name, SECRET);
  return scanned(hide(url.href, [...secrets]));
}

/** A body of JSON or of a form without credentials. */
export function scrubBody(body: string, secrets: readonly string[]): string {
  try {
    return scanned(hide(JSON.stringify(JSON.parse(body, withoutSecret)), [...secrets]));
  } catch {
    const named = body.replaceAll(/(^|&)([^=&]+)=([^&]*)/g, (whole, before: string, name: string) =>
      SECRET_NAME.test(name) ? `${before}${name}=${SECRET}` : whole,
    );
    return scanned(hide(named, [...secrets]));
  }
}

const withoutSecret = (name: string, value: unknown): unknown =>
  typeof value === 'string' && SECRET_NAME.test(name) ? SECRET : value;

export const scrubRequestHeaders = (
  headers: Record<string, string>,
  secrets: readonly string[],
): Record<string, string> => kept(headers, ASKED, (value) => scanned(hide(value, [...secrets])));

export const scrubAnswerHeaders = (
  headers: Record<string, string>,
  secrets: readonly string[],
): Record<string, string> =>
  kept(headers, ANSWERED, (value, name) =>
    /^(content-)?location$/.test(name) ? scrubLocation(value, secrets) : scanned(hide(value, [...secrets])),
  );

/** Text in an answer: a provider that repeats a key, or a page that shows one. */
export function scrubBytes(bytes: Buffer, secrets: readonly string[]): Buffer {
  if (!secrets.some((secret) => bytes.includes(secret))) return bytes;
  // Latin-1 keeps every byte as it is.
  const text = hide(
    bytes.toString('latin1'),
    secrets.map((secret) => Buffer.from(secret).toString('latin1')),
  );
  return Buffer.from(text, 'latin1');
}

/** A redirect may be relative; then it has no credentials but in its parameters. */
function scrubLocation(value: string, secrets: readonly string[]): string {
  const base = 'http://relative.invalid';
  const url = URL.parse(value, base);
  if (url === null) return scanned(hide(value, [...secrets]));
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
