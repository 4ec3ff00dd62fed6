import { describe, expect, test } from 'vitest';
import { HeadgateError, type FailureCode, type FailureType } from '../../src/core/errors.ts';
import type { HttpResponse } from '../../src/core/http.ts';
import type { ExtractQuery, SearchQuery } from '../../src/core/query.ts';
import { providers } from '../../src/providers/index.ts';
import type { Provider } from '../../src/providers/provider.ts';

const NOW = Date.UTC(2026, 0, 1);
const CHALLENGE = '<html><head><script src="/cdn-cgi/challenge-platform/x.js"></script></head></html>';
const CONFIG: Record<string, Record<string, unknown>> = { searxng: { base_url: 'https://search.example' } };

/** What one answer must become, for each provider where they differ. */
interface Fault {
  name: string;
  status: number;
  headers?: Record<string, string>;
  body?: string;
  code: FailureCode | Record<string, FailureCode | 'degraded'>;
  retryAfterMs?: number;
}

const auth: FailureCode = 'upstream_authentication';
const limited = (name: string, value: string, retryAfterMs?: number): Fault => ({
  name: `429 with Retry-After ${name}`,
  status: 429,
  headers: { 'retry-after': value },
  code: 'upstream_rate_limit',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

const FAULTS: Fault[] = [
  { name: '400', status: 400, code: { default: 'upstream_invalid', duckduckgo: 'upstream_blocked' } },
  { name: '401', status: 401, code: { default: auth, duckduckgo: 'upstream_blocked' } },
  {
    name: '403',
    status: 403,
    code: {
      default: auth,
      duckduckgo: 'upstream_blocked',
      searxng: 'not_configured',
      wikipedia: 'upstream_blocked',
      wikidata: 'upstream_blocked',
      crossref: 'upstream_blocked',
      openalex: 'upstream_rate_limit',
    },
  },
  { name: '402', status: 402, code: { default: 'upstream_quota', duckduckgo: 'upstream_blocked' } },
  {
    name: '404',
    status: 404,
    code: { default: 'upstream_bad_answer', duckduckgo: 'upstream_blocked' },
  },
  { name: '408', status: 408, code: 'upstream_timeout' },
  { name: '422', status: 422, code: { default: 'upstream_invalid', duckduckgo: 'upstream_blocked' } },
  limited('2', '2', 2_000),
  limited('0', '0', 0),
  limited('86400', '86400', 86_400_000),
  limited('as a date', 'Thu, 01 Jan 2026 00:00:05 GMT', 5_000),
  limited('as a past date', 'Wed, 31 Dec 2025 00:00:00 GMT', 0),
  limited('negative', '-1'),
  limited('garbage', 'soon'),
  { name: '429 without Retry-After', status: 429, code: 'upstream_rate_limit' },
  { name: '432', status: 432, code: { default: 'upstream_quota', duckduckgo: 'upstream_blocked' } },
  { name: '433', status: 433, code: { default: 'upstream_quota', duckduckgo: 'upstream_blocked' } },
  { name: '500', status: 500, code: 'upstream_unavailable' },
  {
    name: '503 with Retry-After',
    status: 503,
    headers: { 'retry-after': '4' },
    code: {
      default: 'upstream_unavailable',
      marginalia: 'upstream_rate_limit',
      arxiv: 'upstream_rate_limit',
    },
    retryAfterMs: 4_000,
  },
  { name: '502 as a web page', status: 502, body: '<html>Bad gateway</html>', code: 'upstream_unavailable' },
  { name: '301', status: 301, headers: { location: 'https://x.example/' }, code: 'upstream_bad_answer' },
  {
    name: 'F31: a web page instead of JSON',
    status: 200,
    body: '<html>Welcome</html>',
    code: { default: 'upstream_bad_answer', duckduckgo: 'degraded' },
  },
  {
    name: 'F31: truncated JSON',
    status: 200,
    body: '{"results":[{"url":"https://a.ex',
    code: { default: 'upstream_bad_answer', duckduckgo: 'degraded' },
  },
  {
    name: 'F31: JSON of another form',
    status: 200,
    body: '{"ok":true,"results":7,"data":7,"web":7}',
    code: { default: 'upstream_bad_answer', duckduckgo: 'degraded' },
  },
  {
    name: 'F31: an empty 200',
    status: 200,
    code: { default: 'upstream_bad_answer', duckduckgo: 'degraded' },
  },
  {
    name: 'a challenge with 200',
    status: 200,
    body: CHALLENGE,
    code: 'upstream_blocked',
  },
  { name: 'a challenge with 403', status: 403, body: CHALLENGE, code: 'upstream_blocked' },
  {
    name: 'a challenge with 503',
    status: 503,
    body: CHALLENGE,
    code: 'upstream_blocked',
  },
];

const TYPES: Partial<Record<FailureCode, FailureType>> = {
  upstream_authentication: 'authentication',
  not_configured: 'authentication',
  upstream_quota: 'quota',
  upstream_rate_limit: 'rate_limit',
  upstream_invalid: 'validation',
  upstream_blocked: 'blocked',
  upstream_bad_answer: 'unavailable',
  upstream_unavailable: 'unavailable',
  upstream_timeout: 'timeout',
};
const RETRIED: FailureCode[] = ['upstream_rate_limit', 'upstream_unavailable', 'upstream_timeout'];

const halves = providers.flatMap((provider) =>
  (['search', 'extract'] as const)
    .filter((half) => provider[half] !== undefined)
    .map((half) => [`${provider.id} ${half}`, provider, half] as const),
);

describe.each(halves)('%s', (_, provider, half) => {
  test.each(FAULTS)('names $name', (fault) => {
    const expected =
      typeof fault.code === 'string' ? fault.code : (fault.code[provider.id] ?? fault.code['default']);
    const seen = outcomeOf(provider, half, fault);
    expect(seen.code).toBe(expected);
    expect(seen.retryAfterMs).toBe(fault.retryAfterMs);
    expect(seen.type).toBe(TYPES[seen.code as FailureCode]);
    expect(seen.retryable).toBe(RETRIED.includes(seen.code as FailureCode));
    expect(seen.message).toMatch(new RegExp(`^${provider.title}\\b.*[.:]`));
  });
});

function outcomeOf(provider: Provider, half: 'search' | 'extract', fault: Fault) {
  const { status, headers = {}, body = '' } = fault;
  const response: HttpResponse = { status, headers, body, url: 'https://upstream.example/?q=x' };
  const settings = provider.settings().parse(CONFIG[provider.id] ?? {});
  const query: SearchQuery & ExtractQuery = {
    text: 'tidal mills',
    resultsMax: 5,
    urls: ['https://mills.example/'],
    format: 'markdown',
  };
  const { search, extract } = provider;
  const reads = provider[half]?.acceptStatus ?? [];
  try {
    if ((status < 200 || status > 299) && !reads.includes(status)) throw provider.fail(response, NOW);
    const page =
      half === 'search'
        ? search?.parse(response, query, settings)
        : extract?.parse(response, query, settings);
    const outcome = page !== undefined && 'outcome' in page ? page.outcome : 'ok';
    const message = page !== undefined && 'reason' in page ? page.reason : '';
    return { code: outcome, retryable: false, message };
  } catch (thrown) {
    const { code, type, retryable, retryAfterMs, message } = HeadgateError.from(thrown);
    return { code, type, retryable, retryAfterMs, message };
  }
}
