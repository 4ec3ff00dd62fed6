import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { searchers } from '../support/every-provider.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { ExtractQuery, SearchQuery, SiteQuery } from '../../src/core/query.ts';
import { providers } from '../../src/providers/index.ts';
import { instantAnswer } from '../../src/providers/duckduckgo/instant-answer.ts';
import type { Provider, RerankQuery } from '../../src/providers/provider.ts';

/**
 * One folder per case: fixtures/<provider>/<case>/case.json and response.txt. A new case needs no code. With UPDATE=1 the
 * expected request, warnings and outcome are written anew, to be read before they are committed.
 */
interface Case {
  /** A sentence about behaviour: the name of the test. */
  covers: string;
  half: 'search' | 'extract' | 'crawl' | 'map' | 'answer' | 'rerank';
  query: SearchQuery & ExtractQuery & SiteQuery & RerankQuery;
  /** How many sources earlier pages gave. */
  found?: number;
  settings?: Record<string, unknown>;
  key?: string;
  response: { status: number; headers?: Record<string, string> };
  request?: unknown;
  warnings?: string[];
  page?: unknown;
  error?: unknown;
}

const root = join(import.meta.dirname, '../../src/providers/fixtures');
const cases = readdirSync(root).flatMap((id) =>
  readdirSync(join(root, id)).map((name) => {
    const path = join(root, id, name, 'case.json');
    const given = JSON.parse(readFileSync(path, 'utf8')) as Case;
    const body = readFileSync(join(root, id, name, 'response.txt'), 'utf8');
    return [`${id}/${name}: ${given.covers}`, { id, path, given, body }] as const;
  }),
);

test('the suite sees its fixtures', () => {
  expect(cases.length).toBeGreaterThan(60);
});

test.each(cases)('%s', (_, { id, path, given, body }) => {
  const response = { headers: {}, ...given.response, body };
  const actual = play(id, given, response);
  const { request, warnings, page, error, ...rest } = given;
  if (process.env['UPDATE'] === '1') {
    writeFileSync(path, `${JSON.stringify({ ...rest, ...actual }, null, 2)}\n`);
    return;
  }
  expect(actual).toEqual(JSON.parse(JSON.stringify({ request, warnings, page, error })));
});

/** What the fixtures of a provider must show, by what the cases end in. */
const KINDS: Record<string, (name: string, given: Case) => boolean> = {
  success: (_name, { page }) => outcomeIn(page) === 'ok',
  empty: (_name, { page }) => outcomeIn(page) === 'empty',
  paging: (_name, { page }) => typeof page === 'object' && page !== null && 'next' in page,
  'rate limit': (_name, given) => codeIn(given) === 'upstream_rate_limit',
  malformed: (_name, given) =>
    given.response.status === 200 &&
    [codeIn(given), outcomeIn(given.page)].some((end) => /bad_answer|degraded/.test(end)),
  hostile: (name, { page }) => name.startsWith('hostile') && outcomeIn(page) === 'ok',
  'bad key': (_name, given) => codeIn(given) === 'upstream_authentication',
  'out of money': (_name, given) => codeIn(given) === 'upstream_quota',
};
const codeIn = ({ error }: Case): string => (error as { code?: string } | undefined)?.code ?? '';
const outcomeIn = (page: unknown): string => (page as { outcome?: string } | undefined)?.outcome ?? '';

test.each(searchers.map((provider) => [provider.id, provider] as const))(
  '%s has a fixture of every kind',
  (id, card) => {
    const own = cases.map(([, one]) => one).filter((one) => one.id === id && one.given.half === 'search');
    const isNeeded = (kind: string): boolean => {
      if (kind === 'paging') return card.search?.paged === true;
      if (kind === 'bad key') return card.keys !== 'none';
      // Nobody pays for a server of their own.
      return kind !== 'out of money' || (card.keys !== 'none' && card.urlVariable === undefined);
    };
    const missing = Object.entries(KINDS).filter(
      ([kind, isOne]) =>
        isNeeded(kind) && !own.some(({ path, given }) => isOne(basename(dirname(path)), given)),
    );
    expect(missing.map(([kind]) => kind)).toEqual([]);
  },
);

test.each(cases.filter(([, { path }]) => /hostile/.test(path)))(
  '%s, without addresses and signs that do harm',
  (_, one) => {
    const shown = JSON.stringify(one.given.page);
    expect(shown).not.toMatch(/"(url|favicon)":"(?!https?:)/);
    expect(shown).not.toMatch(/\\u00(?:0[0-8bcef]|1)|[\u202a-\u202e\u2066-\u2069]/);
  },
);

function play(id: string, given: Case, received: Omit<HttpResponse, 'url'>): Record<string, unknown> {
  const provider = providers.find((candidate) => candidate.id === id);
  if (provider === undefined) throw new Error(`There is no provider ${id}.`);
  const settings = provider.settings().parse(given.settings ?? {});
  const half = halfOf(provider, given, settings);
  const sent = half.request();
  const response = { ...received, url: sent.url };
  const good = (response.status >= 200 && response.status < 300) || half.reads.includes(response.status);
  const ended = outcomeOf(() => {
    if (!good) throw provider.fail(response);
    return half.parse(response);
  });
  const warnings = half.warnings();
  const request = readable(sent);
  return JSON.parse(JSON.stringify({ request, ...(warnings.length > 0 && { warnings }), ...ended }));
}

function halfOf(provider: Provider, given: Case, settings: Record<string, unknown>) {
  const { search, extract } = provider;
  const { query, key } = given;
  if (given.half === 'search' && search !== undefined) {
    return {
      request: () => search.request(query, settings, key),
      parse: (response: HttpResponse) =>
        search.parse(response, query, settings, given.found, search.request(query, settings, key)),
      warnings: () => search.warnings?.(query) ?? [],
      reads: search.acceptStatus ?? [],
    };
  }
  if (given.half === 'extract' && extract !== undefined) {
    return {
      request: () => extract.request(query, settings, key),
      parse: (response: HttpResponse) => extract.parse(response, query, settings),
      warnings: () => extract.warnings?.(query) ?? [],
      reads: extract.acceptStatus ?? [],
    };
  }
  const { rerank } = provider;
  if (given.half === 'rerank' && rerank !== undefined) {
    return {
      request: () => rerank.request(query, settings, key),
      parse: (response: HttpResponse): unknown => rerank.parse(response, query),
      warnings: () => [],
      reads: [] as readonly number[],
    };
  }
  const site = given.half === 'crawl' || given.half === 'map' ? provider[given.half] : undefined;
  if (site !== undefined) {
    return {
      request: () => site.request(query, settings, key),
      parse: (response: HttpResponse): unknown => site.parse(response, query, settings),
      warnings: () => [`May cost ${site.creditsMax(query)} credits.`],
      reads: [] as readonly number[],
    };
  }
  return {
    request: () => instantAnswer.request(query.text, settings),
    parse: (response: HttpResponse) => instantAnswer.parse(response) ?? null,
    warnings: () => [],
    reads: [] as readonly number[],
  };
}

function outcomeOf(run: () => unknown): { page?: unknown; error?: unknown } {
  try {
    return { page: withReadableNext(run()) };
  } catch (thrown) {
    if (!(thrown instanceof HeadgateError)) throw thrown;
    const { code, message, remediation, retryAfterMs } = thrown;
    return { error: { code, message, remediation, retryAfterMs } };
  }
}

function withReadableNext(page: unknown): unknown {
  if (typeof page !== 'object' || page === null || !('next' in page)) return page;
  return { ...page, next: readable(page.next as HttpRequest) };
}

/** A request with its body spelled out, so that a case can be read. */
function readable({ body, ...request }: HttpRequest): unknown {
  if (body === undefined) return request;
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
  return isForm
    ? { ...request, form: Object.fromEntries(new URLSearchParams(body)) }
    : { ...request, json: JSON.parse(body) as unknown };
}
