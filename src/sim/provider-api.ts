import type { Auth, Provider, SimulatedCall } from '../providers/provider.ts';
import { json, objectIn, webPage, type SimRequest, type SimResponse, type SimUpstream } from './upstream.ts';
import { hasNothing, pagesAbout } from './pseudo.ts';

/*
 * The simulated upstream of a provider card: its `simulate` gives the good answers, its `signals` the bad ones. The end of the key, or
 * `sim:…` in the request, decides the scenario:
 *
 *   -bad  the key is refused      -quota  nothing is left      -429  too many requests      -500  an error
 *   -html 200 with a web page     -cut    200 with cut JSON    (none, where a key is required)  the key is refused
 *
 * Everything else works. A query with `noresult` finds nothing; every other has 45 results. A host with `gone` in it cannot be read.
 */
const RESULTS = 45;

const SCENARIOS = {
  bad: ['upstream_authentication', 401],
  quota: ['upstream_quota', 402],
  429: ['upstream_rate_limit', 429],
  500: ['upstream_unavailable', 500],
} as const;

/** The upstream of a card that can simulate itself. */
export const providerSims = (providers: readonly Provider[]): SimUpstream[] =>
  providers.flatMap((provider) =>
    provider.simulate === undefined
      ? []
      : [{ id: provider.id, handle: (request) => handle(provider, request) }],
  );

function handle(provider: Provider, request: SimRequest): SimResponse | undefined {
  const sent = parametersOf(request);
  if (sent === undefined) return json(400, { error: 'Send JSON.' });
  const bad = refusal(provider, request);
  if (bad !== undefined) return bad;
  let isEmpty = false;
  const call: SimulatedCall = {
    path: request.url.pathname,
    sent,
    pages: (text, count, from = 0) => {
      isEmpty = hasNothing(String(text));
      return isEmpty ? [] : pagesAbout(String(text), RESULTS).slice(from, from + Number(count ?? 10));
    },
    read: (url) => {
      const parsed = URL.parse(String(url));
      if (parsed === null || parsed.hostname.includes('gone')) return undefined;
      return { title: `Page ${parsed.pathname}`, text: `# Page\n\nThe content of ${parsed.href}.` };
    },
  };
  const body = provider.simulate?.(call);
  const disguise = isEmpty ? provider.signals?.find(({ means }) => means === 'empty') : undefined;
  if (disguise !== undefined) return answer(disguise.status, disguise.body, disguise.headers);
  return body === undefined ? undefined : answer(200, body);
}

/** The scenario that the key or the request asks for. */
function refusal({ keys, auth, signals = [] }: Provider, request: SimRequest): SimResponse | undefined {
  const key = auth === undefined ? '' : keyIn(request, auth);
  const asked = `${decodeURIComponent(request.url.search)} ${request.body}`;
  const scenario =
    /-(bad|quota|429|500|html|cut)$/.exec(key)?.[1] ?? /sim:(bad|quota|429|500|html|cut)/.exec(asked)?.[1];
  if (scenario === 'html') return webPage(200, 'Welcome to the hotel network');
  if (scenario === 'cut') return { ...json(200, {}), body: '{"results":[{"url":"https://exam' };
  const isMissing = key === '' && keys === 'required' && auth !== undefined;
  if (scenario === undefined && !isMissing) return undefined;
  const [means, status] = SCENARIOS[(scenario ?? 'bad') as keyof typeof SCENARIOS];
  const signal = signals.find((one) => one.means === means);
  return answer(signal?.status ?? status, signal?.body ?? { error: means }, signal?.headers);
}

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): SimResponse =>
  typeof body === 'string'
    ? { status, headers: { 'content-type': 'text/xml; charset=utf-8', ...headers }, body }
    : json(status, body, headers);

function parametersOf(request: SimRequest): Record<string, unknown> | undefined {
  if (request.method === 'GET') return Object.fromEntries(request.url.searchParams);
  const [, inner] = /^\s*\[(.*)\]\s*$/s.exec(request.body) ?? [];
  return objectIn(inner === undefined ? request : { ...request, body: inner });
}

function keyIn({ url, headers }: SimRequest, auth: Auth): string {
  if ('query' in auth) return url.searchParams.get(auth.query) ?? '';
  const value = headers[auth.header] ?? '';
  if (auth.scheme === undefined) return value;
  const [scheme = '', rest = ''] = value.split(/\s+/);
  if (scheme.toLowerCase() !== auth.scheme.toLowerCase()) return '';
  return auth.scheme === 'Basic' ? Buffer.from(rest, 'base64').toString() : rest;
}
