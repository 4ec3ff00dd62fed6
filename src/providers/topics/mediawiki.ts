import type { SearchQuery } from '../../core/query.ts';
import { textAt } from '../kit/json-path.ts';
import { languageCode } from '../kit/language.ts';
import type { PublishedLimit, Signal } from '../provider.ts';

/** With a User-Agent that names a contact. */
export const WIKIMEDIA_LIMITS: readonly PublishedLimit[] = [{ requests: 200, perMs: 60_000 }];

/** Wikimedia's APIs report errors in answers with status 200. */
export const mediaWikiSignals: readonly Signal[] = [
  {
    means: 'upstream_rate_limit',
    status: 200,
    when: /ratelimited|maxlag/,
    body: { error: { code: 'ratelimited', info: 'You have exceeded your rate limit.' } },
  },
  { means: 'upstream_rate_limit', status: 429, body: 'Too many requests' },
  { means: 'upstream_blocked', status: 403, body: 'Please set a user-agent with a contact.' },
];

export const mediaWikiRefusal = (answer: unknown): string | undefined => textAt(answer, 'error.code');

/** Each language has a host of its own; a server that somebody else runs stays as it is. */
export function toLanguage(url: URL, { language }: SearchQuery): void {
  if (url.hostname === 'wikipedia.org') url.hostname = `${languageCode(language) ?? 'en'}.wikipedia.org`;
}
