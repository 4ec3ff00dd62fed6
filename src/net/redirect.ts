import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { checkUrl, type CheckedUrl, type GuardPolicy } from './guard.ts';

/**
 * Step 5 of the guard: checks the target of a redirect like a URL from a caller, and decides what may be sent
 * there.
 */
export function nextHop(
  location: string,
  from: CheckedUrl,
  headers: Record<string, string>,
  redirectsSoFar: number,
  policy: GuardPolicy,
): { target: CheckedUrl; headers: Record<string, string> } {
  if (redirectsSoFar >= LIMITS.fetchRedirectsMax) {
    throw refuse(own`there are more than ${LIMITS.fetchRedirectsMax} redirects.`);
  }
  const target = checkUrl(resolveLocation(location, from.url), policy);
  if (target.url.origin === from.url.origin) return { target, headers };
  const downgrade = from.url.protocol === 'https:' && target.url.protocol === 'http:';
  if (downgrade && headers['authorization'] !== undefined) {
    throw refuse(own`it leads from https to http, and the request carries credentials.`);
  }
  // Headers meant for one origin are not sent to another.
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('accept') || name === 'user-agent');
  return { target, headers: Object.fromEntries(kept) };
}

/**
 * Resolves a Location to an absolute URL as text, so that it goes through every check. Servers send spaces
 * and UTF-8 where they should not.
 */
function resolveLocation(location: string, base: URL): string {
  const text = decodeUtf8(location.trim()).replaceAll(' ', '%20');
  // Parsers disagree about these, and the parser below would hide them.
  if (/[\u0000-\u001F\u007F-\u009F\\]/.test(text)) {
    throw refuse(own`its target contains a control character or backslash.`);
  }
  // An absolute URL is checked as written, before a parser normalises it.
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) return text;
  if (text.startsWith('//')) return `${base.protocol}${text}`;
  const resolved = URL.parse(text, base.href);
  if (resolved === null) throw refuse(own`its target is not a valid URL.`);
  return resolved.href;
}

/** Decodes header bytes, which arrive as Latin-1, as the UTF-8 that most servers mean. */
function decodeUtf8(latin1: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return latin1;
  }
}

const refuse = (rule: OwnText): HeadgateError =>
  new HeadgateError('redirect_refused', own`This page's redirect is not followed: ${rule}`);
