import { HeadgateError } from '../core/errors.ts';
import type { Gate } from '../core/gate.ts';
import { LIMITS } from '../core/limits.ts';
import { keepScope } from '../core/scope.ts';
import type { Devtools, DevtoolsEvent, Fields } from './devtools.ts';

/** The result of the guarded fetch. */
export interface Fetched {
  finalUrl: string;
  status: number;
  headers: Record<string, string>;
  bytes: Uint8Array;
}

/** The guarded fetch as the browser uses it: every request is checked, resolved and pinned. */
export type PageFetch = (
  url: string,
  options: {
    signal: AbortSignal;
    caller: string;
    gate: Gate | undefined;
    headers: Record<string, string>;
    types: 'any';
    body?: string;
  },
) => Promise<Fetched>;

/** The page to render, as it was fetched. */
export interface DocumentPage {
  url: string;
  bytes: Uint8Array;
  contentType: string;
}

export interface Traffic {
  /** Since when no request has been running; undefined while one is. */
  quietSince(): number | undefined;
  /** How many requests the guard refused. */
  refused(): number;
}

interface Roads {
  /** Fetches from the public web only. */
  open: PageFetch;
  /** Also fetches what the operator allows; used for the page's own origin only. */
  own: PageFetch;
}

interface TrafficOptions extends Roads {
  page: DocumentPage;
  caller: string;
  gate: Gate | undefined;
  signal: AbortSignal;
  session: string;
  mainFrame: string;
  now(): number;
}

interface Paused {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    postData?: string;
    hasPostData?: boolean;
  };
}

/**
 * Resource types that the text of a page may depend on. Images, fonts, media, beacons and frames are not
 * fetched.
 */
const FETCHED = new Set(['Document', 'Script', 'XHR', 'Fetch']);

/**
 * Answers every request of a page: the page itself from memory, the rest through the guard, within limits of
 * count and bytes.
 */
export function answerTraffic(devtools: Devtools, options: TrafficOptions): Traffic {
  const { session } = options;
  const { fulfil, refuse } = createAnswers(devtools, session);
  const counts: Counts = { requests: 0, documents: 0, bytes: 0 };
  const known = new Map<string, Fetched>();
  let [pending, refused, changedAt] = [0, 0, options.now()];

  const answer = async (paused: Paused): Promise<void> => {
    const { requestId, request, resourceType } = paused;
    const url = withoutFragment(request.url);
    if (resourceType === 'Document' && counts.documents === 1) {
      fulfil(requestId, 200, { 'content-type': options.page.contentType }, options.page.bytes);
      return;
    }
    const kept = known.get(url);
    known.delete(url);
    const found = kept ?? (await load(url, request, options));
    if (kept === undefined) counts.bytes += found.bytes.length;
    const finalUrl = withoutFragment(found.finalUrl);
    // The browser must know the real URL of a response: scripts import their neighbours, and origins decide
    // who may read what.
    if (finalUrl !== url) {
      known.set(finalUrl, found);
      fulfil(requestId, 302, { location: found.finalUrl, ...readable(found.headers) });
    } else fulfil(requestId, found.status, readable(found.headers), found.bytes);
  };
  const giveUp = (paused: Paused, thrown: unknown): void => {
    const error = HeadgateError.from(thrown);
    if (error.code === 'page_status') return fulfil(paused.requestId, Number(error.data['status']), {});
    if (error.type === 'blocked' || error.type === 'validation') refused += 1;
    refuse(paused);
  };

  // The browser is shared: what a page loads belongs to the call that draws it.
  const onEvent = keepScope(({ method, params, sessionId }: DevtoolsEvent): void => {
    if (sessionId !== session || method !== 'Fetch.requestPaused') return;
    const paused = params as Fields & Paused;
    changedAt = options.now();
    const stub = stubOf(paused);
    if (stub !== undefined) return fulfil(paused.requestId, 200, stub);
    if (!isWanted(paused, counts, options.mainFrame)) return refuse(paused);
    pending += 1;
    void answer(paused)
      .catch((thrown: unknown) => giveUp(paused, thrown))
      .finally(() => {
        pending -= 1;
        changedAt = options.now();
      });
  });
  devtools.listen(onEvent);
  return { quietSince: () => (pending === 0 ? changedAt : undefined), refused: () => refused };
}

/** What a page has requested so far. */
interface Counts {
  requests: number;
  documents: number;
  bytes: number;
}

function isWanted({ resourceType, frameId, request }: Paused, counts: Counts, mainFrame: string): boolean {
  counts.requests += 1;
  if (counts.requests > LIMITS.renderRequestsMax || counts.bytes > LIMITS.renderBytesMax) return false;
  if (!FETCHED.has(resourceType)) return false;
  if (resourceType === 'Document') {
    if (frameId !== mainFrame) return false;
    counts.documents += 1;
    if (counts.documents > LIMITS.renderDocumentsMax) return false;
  }
  return request.method === 'GET' || isReadableBody(request);
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

/** The two responses that the browser accepts. */
function createAnswers(devtools: Devtools, session: string) {
  return {
    fulfil: (
      requestId: string,
      status: number,
      headers: Record<string, string>,
      bytes: Uint8Array = new Uint8Array(),
    ): void => {
      const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
      const body = Buffer.from(bytes).toString('base64');
      devtools.tell(
        'Fetch.fulfillRequest',
        { requestId, responseCode: status, responseHeaders, body },
        session,
      );
    },
    refuse: ({ requestId, resourceType }: Paused): void => {
      // A blocked navigation leaves the page where it is; any other reason would show an error page.
      const errorReason = resourceType === 'Document' ? 'Aborted' : 'BlockedByClient';
      devtools.tell('Fetch.failRequest', { requestId, errorReason }, session);
    },
  };
}

/**
 * Requests that are answered without a fetch. Scripts wait for style sheets, but no text depends on them.
 * CORS preflights are always allowed: no cookies are sent, the guard still applies, and whether the script
 * may read the response is up to the other origin.
 */
function stubOf({ resourceType, request }: Paused): Record<string, string> | undefined {
  if (resourceType === 'Stylesheet') return { 'content-type': 'text/css' };
  if (request.method !== 'OPTIONS') return undefined;
  const header = (name: string): string | undefined =>
    Object.entries(request.headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return {
    'access-control-allow-origin': header('origin') ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': header('access-control-request-headers') ?? '*',
  };
}

const isReadableBody = ({ method, postData, hasPostData }: Paused['request']): boolean =>
  method === 'POST' &&
  (postData ?? '').length <= LIMITS.renderBodyCharsMax &&
  (postData !== undefined || hasPostData !== true);

/**
 * Sends one request through the guard. The public web is open to every page. A host that only the operator's
 * permission opens is open to that host's own pages alone, so that no web page can read it through this
 * browser.
 */
async function load(url: string, request: Paused['request'], options: TrafficOptions): Promise<Fetched> {
  const { page, caller, gate, signal } = options;
  const origin = URL.parse(page.url)?.origin;
  const asked = {
    signal,
    caller,
    gate,
    types: 'any' as const,
    headers: requestHeaders(request.headers, url, origin),
    ...(request.method === 'POST' ? { body: request.postData ?? '' } : {}),
  };
  try {
    return await options.open(url, asked);
  } catch (thrown) {
    const isOwn = URL.parse(url)?.origin === origin;
    if (!isOwn || HeadgateError.from(thrown).code !== 'blocked_host') throw thrown;
  }
  const found = await options.own(url, asked);
  if (URL.parse(found.finalUrl)?.origin === origin) return found;
  throw new HeadgateError('blocked_host', 'This redirect leaves the allowed host.');
}

/**
 * Request headers without those that identify the browser. A cross-origin request has its Origin, as in
 * browsers.
 */
function requestHeaders(
  headers: Record<string, string>,
  url: string,
  origin: string | undefined,
): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(sec-|user-agent$|upgrade-insecure)/i.test(name),
  );
  const isForeign = origin !== undefined && URL.parse(url)?.origin !== origin;
  return { ...(isForeign ? { origin } : {}), ...Object.fromEntries(kept) };
}

/** The response headers that the page may see. The encoding is already decoded, and cookies are dropped. */
const readable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(content-type$|access-control-|x-)/.test(name)),
  );
