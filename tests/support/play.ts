import { HeadgateError } from '../../src/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { ExtractQuery, SearchQuery } from '../../src/core/query.ts';
import type { ExtractPage, Provider, SearchPage } from '../../src/providers/provider.ts';
import type { SimUpstream } from '../../src/sim/upstream.ts';

/** A provider, the simulated upstream it talks to, and what it is set up with. */
export interface Setting {
  provider: Provider;
  upstream: SimUpstream;
  key?: string;
  settings?: Record<string, unknown>;
}

const PAGES_MAX = 8;

/** Plays a search through a provider's pure halves and a simulated upstream, page by page, without any network. */
export function playSearch(setting: Setting, query: SearchQuery): SearchPage[] {
  const { provider, key } = setting;
  const settings = provider.settings().parse(setting.settings ?? {});
  const half = provider.search;
  if (half === undefined) throw new Error(`${provider.title} does not search.`);
  const pages: SearchPage[] = [];
  let found = 0;
  let request: HttpRequest | undefined = half.request(query, settings, key);
  while (request !== undefined && found < query.resultsMax && pages.length < PAGES_MAX) {
    const first = send(setting, request, half.acceptStatus);
    const second = half.follow?.(first, request);
    const page: SearchPage = half.parse(
      second === undefined ? first : send(setting, second, half.acceptStatus),
      query,
      settings,
      found,
      request,
    );
    pages.push(page);
    found += page.sources.length;
    request =
      page.next === undefined
        ? undefined
        : { ...page.next, headers: { ...request.headers, ...page.next.headers } };
  }
  return pages;
}

export function playExtract(setting: Setting, query: ExtractQuery): ExtractPage {
  const { provider, key } = setting;
  const settings = provider.settings().parse(setting.settings ?? {});
  const half = provider.extract;
  if (half === undefined) throw new Error(`${provider.title} does not extract.`);
  return half.parse(send(setting, half.request(query, settings, key), half.acceptStatus), query, settings);
}

/** An upstream's answer; outside 2xx it is thrown as the provider names it, unless the half reads it itself. */
export function send(
  { provider, upstream }: Pick<Setting, 'provider' | 'upstream'>,
  { method, url, headers, body = '' }: HttpRequest,
  reads: readonly number[] = [],
): HttpResponse {
  const answer = upstream.handle({ method, url: pathOf(url, provider), headers, body });
  if (answer === undefined) throw new Error(`${upstream.id} does not know ${url}.`);
  const response = { status: answer.status, headers: answer.headers ?? {}, body: String(answer.body), url };
  const good = (response.status >= 200 && response.status < 300) || reads.includes(response.status);
  if (!good) throw provider.fail(response);
  return response;
}

/** The code of the failure that `run` ends in, or what it returns. */
export function codeOf(run: () => string): string {
  try {
    return run();
  } catch (thrown) {
    return HeadgateError.from(thrown).code;
  }
}

/** The simulator mounts an upstream where its base URL ends; Brave's has a path of its own. */
function pathOf(url: string, provider: Provider): URL {
  const base: unknown = provider.settings().parse({})['base_url'];
  const prefix = typeof base === 'string' ? new URL(base).pathname.replace(/\/$/, '') : '';
  const parsed = new URL(url);
  if (prefix !== '' && parsed.pathname.startsWith(prefix))
    parsed.pathname = parsed.pathname.slice(prefix.length);
  return parsed;
}
