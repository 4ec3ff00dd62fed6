import { HeadgateError, type FailureCode } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import { LIMITS } from '../../core/limits.ts';
import { retryAfterMs } from '../../core/retry-after.ts';
import { type OwnText, clip, oneLine } from '../../core/text.ts';

interface Named {
  id: string;
  title: OwnText;
  keyVariable?: OwnText;
}

interface Reading {
  /** Set when the status alone would be misleading. */
  code?: FailureCode | undefined;
  /** The provider's own words, for the log. */
  words?: string | undefined;
  /** What is wrong in our words, where the code does not say it. */
  what?: OwnText | undefined;
  /** Set when the provider states the wait elsewhere than in Retry-After. */
  retryAfterMs?: number | undefined;
  remediation?: OwnText | undefined;
  now?: number | undefined;
}

/** The failure for an error response: as the provider's adapter reads it, or else by its status. */
export function failureOf(provider: Named, response: HttpResponse, reading: Reading = {}): HeadgateError {
  const { status } = response;
  const challenged = isChallenge(response);
  const code = challenged ? 'upstream_blocked' : (reading.code ?? codeOf(status));
  const { words = '' } = reading;
  const wait = reading.retryAfterMs ?? retryAfterMs(response.headers, reading.now);
  const [what, next] = challenged ? CHALLENGED : textOf(code, provider);
  return new HeadgateError(code, own`${provider.title} ${reading.what ?? what} (HTTP ${status}).`, {
    provider: provider.id,
    remediation: reading.remediation ?? next,
    data: { status },
    ...(words === '' ? {} : { cause: clip(oneLine(words), LIMITS.upstreamMessageCharsMax) }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

const CHALLENGED = [
  own`answered with a check for robots`,
  own`Use another provider, or ask from another network.`,
] as const;

/** True for a robot check where an API response was expected, as content delivery networks send it. */
export function isChallenge({ headers, body }: HttpResponse): boolean {
  if (headers['cf-mitigated'] === 'challenge') return true;
  return body.trimStart().startsWith('<') && CHALLENGE.test(body);
}

/** Matches the page's own attributes only. Elsewhere, and in forms, a page may repeat the query. */
const CHALLENGE =
  /\s(?:class|id|name|src)\s*=\s*(?:"[^"]*|'[^']*|[^\s"'>]*)(?:challenge-platform|cf-chl-|anomaly-modal|g-recaptcha|h-captcha)|\sid\s*=\s*["']?challenge-/i;

function codeOf(status: number): FailureCode {
  if (status === 401 || status === 403) return 'upstream_authentication';
  if (status === 402 || status === 432 || status === 433) return 'upstream_quota';
  if (status === 429) return 'upstream_rate_limit';
  if (status === 408) return 'upstream_timeout';
  if (status >= 500) return 'upstream_unavailable';
  return [400, 413, 414, 422].includes(status) ? 'upstream_invalid' : 'upstream_bad_answer';
}

function textOf(
  code: FailureCode,
  { keyVariable = own`its key` }: Named,
): readonly [what: OwnText, next: OwnText] {
  switch (code) {
    case 'upstream_authentication':
      return [own`did not accept the key`, own`Check ${keyVariable}.`];
    case 'upstream_quota':
      return [own`has nothing left on this key`, own`Add credits or another key, or use another provider.`];
    case 'upstream_rate_limit':
      return [own`asks for fewer requests`, own`Wait, or add another key or provider.`];
    case 'upstream_invalid':
      return [own`refuses the request`, own`Change the request; the log has what the provider says.`];
    case 'upstream_blocked':
      return [own`refuses to serve this`, own`Use another provider for it.`];
    case 'upstream_unavailable':
      return [own`is not available`, own`Try again later, or use another provider.`];
    case 'upstream_timeout':
      return [own`took too long`, own`Try again, or use another provider.`];
    default:
      return [own`gave an unexpected answer`, own`Check base_url.`];
  }
}
