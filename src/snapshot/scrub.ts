import { hide } from '../core/log.ts';

/** Names of parameters and fields that hold credentials. */
const SECRET_NAME =
  /^(api[-_]?key|apikey|key|x-api-key|subscription[-_]?(key|token)|(access|auth|refresh|id|session|bearer)[-_]?token|token|auth|authorization|pass(word|wd)?|secret|client[-_]?secret|sig|signature|x-amz-.*|session(id)?)$/i;
const SECRET = '[secret]';

/** Headers of a request that say what is asked for. Whatever else is sent may be a credential, and is not kept. */
const ASKED = /^(accept|accept-language|content-type|user-agent)$/;
/** Headers of an answer that somebody reads. Everything else is of the connection, of a session, or changes with every answer. */
const ANSWERED =
  /^(content-(type|language|location|disposition|usage|signal)|last-modified|etag|location|link|refresh|retry-after|x-robots-tag|(x-)?ratelimit.*|tdm-.*|crawler-.*|cf-mitigated)$/;

/** An address without credentials. */
export function scrubUrl(text: string, secrets: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null) return hide(text, [...secrets]);
  url.username = '';
  url.password = '';
  for (const name of new Set(url.searchParams.keys()))
    if (SECRET_NAME.test(name)) url.searchParams.set(name, SECRET);
  return hideEncoded(url.href, secrets);
}

/** A body of JSON or of a form without credentials. */
export function scrubBody(body: string, secrets: readonly string[]): string {
  try {
    return hide(JSON.stringify(JSON.parse(body, withoutSecret)), [...secrets]);
  } catch {
    return hideEncoded(
      body.replaceAll(/(^|&)([^=&]+)=([^&]*)/g, (whole, before: string, name: string) =>
        SECRET_NAME.test(name) ? `${before}${name}=${SECRET}` : whole,
      ),
      secrets,
    );
  }
}

const withoutSecret = (name: string, value: unknown): unknown =>
  typeof value === 'string' && SECRET_NAME.test(name) ? SECRET : value;

export const scrubRequestHeaders = (
  headers: Record<string, string>,
  secrets: readonly string[],
): Record<string, string> => kept(headers, ASKED, (value) => hide(value, [...secrets]));

export const scrubAnswerHeaders = (
  headers: Record<string, string>,
  secrets: readonly string[],
): Record<string, string> =>
  kept(headers, ANSWERED, (value, name) =>
    /^(content-)?location$/.test(name) ? scrubLocation(value, secrets) : hide(value, [...secrets]),
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
  if (url === null) return hide(value, [...secrets]);
  const scrubbed = scrubUrl(url.href, secrets);
  return URL.parse(value) === null && url.href.startsWith(base) ? scrubbed.slice(base.length) : scrubbed;
}

/** Removes secrets as they are and as they are written in an address. */
const hideEncoded = (text: string, secrets: readonly string[]): string =>
  hide(
    text,
    secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]),
  );

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
