import { systemClock, type Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Gate } from '../core/gate.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { byteSize } from '../core/text.ts';
import { onAbort } from '../core/on-abort.ts';
import { retryAfterMs } from '../core/retry-after.ts';
import { checkDeclaredType, checkedType, essenceOf, sniffType } from './content-type.ts';
import { ACCEPT_ENCODING, decodeBody } from './decode.ts';
import { createSystemConnect, dial, systemResolve, type Connect, type Resolve } from './dial.ts';
import { createSingleConnection, exchange, type Exchanged, type ExchangeRequest } from './exchange.ts';
import { networkFailure, SITE } from './failure.ts';
import { checkUrl, type CheckedUrl, type GuardPolicy } from './guard.ts';
import { nextHop } from './redirect.ts';
import { createSlots, type Slots } from './slots.ts';
import { createWatch, type Watch } from './watch.ts';
import { liveWeb, type Web } from './web.ts';

export interface FetchOptions {
  signal: AbortSignal;
  /** The caller; at most three fetches run at a time per caller. */
  caller: string;
  /** The rules of the caller; undefined for what the operator set up. Asked before a name is resolved, and at every redirect. */
  gate: Gate | undefined;
  accept?: string;
  headers?: Record<string, string>;
  /** Sent with POST when given. A redirect is then not followed. */
  body?: string;
  /** `refuse` takes a redirect for a failure. */
  redirects?: 'follow' | 'refuse';
  timeoutMs?: number;
  bytesMax?: number;
  /** `readable` (default) refuses types that cannot become text. */
  types?: 'any' | 'readable';
}

export interface FetchedPage {
  url: string;
  finalUrl: string;
  status: number;
  headers: Record<string, string>;
  /** The media type without parameters, checked against the first bytes. The raw header is in `headers`. */
  contentType: string;
  /** The whole body, decoded. */
  bytes: Uint8Array;
  /** Every URL that the request was redirected to. */
  redirects: string[];
  /** Set if it was replayed and not for the very same request. */
  replayed?: 'canonical';
}

export type GuardedFetch = (url: string, options: FetchOptions) => Promise<FetchedPage>;

interface Network {
  policy: GuardPolicy;
  userAgent: string;
  resolve: Resolve;
  connect: Connect;
  clock: Clock;
  web: Web;
}

/**
 * The only way to fetch URLs that a caller or a page names. It reaches the public web and what the operator
 * allows, and nothing else. It ignores proxies, because a proxy would resolve names again. Every failure is a
 * HeadgateError that names the rule.
 */
export function createGuardedFetch(settings: {
  policy: GuardPolicy;
  userAgent: string;
  resolve?: Resolve;
  connect?: Connect;
  clock?: Clock;
  /** Who answers in place of the network, or listens. */
  web?: Web;
  /** PEM of an authority to trust instead of the system's. */
  ca?: string;
  /** Fetches at a time per caller and per origin. */
  atOnceMax?: number;
}): { fetch: GuardedFetch; close(): Promise<void> } {
  const network: Network = {
    policy: settings.policy,
    userAgent: settings.userAgent,
    resolve: settings.resolve ?? systemResolve,
    connect: settings.connect ?? createSystemConnect(settings.ca),
    clock: settings.clock ?? systemClock,
    web: settings.web ?? liveWeb,
  };
  const running = new Map<AbortController, Promise<unknown>>();
  const callers = createSlots({
    max: settings.atOnceMax ?? LIMITS.fetchPerCallerMax,
    queueMax: LIMITS.fetchQueueMax,
  });
  const origins = createSlots({
    max: settings.atOnceMax ?? LIMITS.fetchPerOriginMax,
    queueMax: LIMITS.fetchQueueMax,
  });

  const load = async (url: string, options: FetchOptions): Promise<FetchedPage> => {
    const target = checkUrl(url, network.policy);
    options.gate?.check({ kind: 'fetch', url: target.url });
    const { signal } = options;
    const releaseCaller = await callers.take(options.caller, signal);
    try {
      // The deadline starts when the fetch leaves the queue; how long it may queue is up to the caller.
      const releaseFirst = await origins.take(target.url.origin, signal);
      return await follow(url, target, { network, options, releaseFirst, origins });
    } finally {
      releaseCaller();
    }
  };
  return {
    fetch: async (url, options) => {
      const controller = new AbortController();
      const stopListening = onAbort(options.signal, () => controller.abort(options.signal.reason));
      const loading = load(url, { ...options, signal: controller.signal });
      running.set(controller, loading);
      return loading.finally(() => {
        stopListening();
        running.delete(controller);
      });
    },
    close: async () => {
      const reason = new HeadgateError('cancelled', 'Headgate is shutting down.');
      for (const controller of running.keys()) controller.abort(reason);
      await Promise.allSettled(running.values());
    },
  };
}

interface Walk {
  network: Network;
  options: FetchOptions;
  releaseFirst: () => void;
  origins: Slots;
}

async function follow(url: string, first: CheckedUrl, walk: Walk): Promise<FetchedPage> {
  const { network, options } = walk;
  const watch = createWatch({
    clock: network.clock,
    caller: options.signal,
    totalMs: options.timeoutMs ?? LIMITS.fetchTotalMs,
  });
  const redirects: string[] = [];
  let target = first;
  let headers = requestHeaders(options, network.userAgent);
  let release = walk.releaseFirst;
  try {
    for (;;) {
      const answer = await visit(target, headers, options, network, watch);
      if (!isRedirect(answer)) return await toPage(url, target, answer, redirects, options);
      if (options.body !== undefined || options.redirects === 'refuse') throw redirected();
      release();
      const hop = nextHop(
        answer.headers['location'] ?? '',
        target,
        headers,
        redirects.length,
        network.policy,
      );
      ({ target, headers } = hop);
      options.gate?.check({ kind: 'fetch', url: target.url });
      redirects.push(target.url.href);
      release = await walk.origins.take(target.url.origin, watch.signal);
    }
  } finally {
    release();
    watch.end();
  }
}

/** Sends one request to one origin over its own connection. */
async function visit(
  target: CheckedUrl,
  headers: Record<string, string>,
  options: FetchOptions,
  network: Network,
  watch: Watch,
): Promise<Exchanged> {
  const { signal } = watch;
  const connection = createSingleConnection(async () => {
    watch.phase(LIMITS.fetchConnectMs, 'accept a connection');
    const socket = await dial(target, { ...network, signal });
    watch.phase(LIMITS.fetchHeadersMs, 'begin to answer');
    return socket;
  });
  const request: ExchangeRequest = {
    url: target.url,
    method: options.body === undefined ? 'GET' : 'POST',
    headers,
    ...(options.body === undefined ? {} : { body: options.body }),
    bytesMax: options.bytesMax ?? LIMITS.fetchBytesMax,
    tooLarge: () => tooLarge(options),
    onHead: (status, answered) => {
      watch.phase(LIMITS.fetchIdleMs, 'send more of its page');
      return wantsBody({ status, headers: answered }, target, options, network.clock);
    },
    onProgress: () => watch.progress(),
  };
  const running = network.web.exchange(request, 'page', (sent) => exchange(connection, sent));
  const stopListening = onAbort(signal, () => running.abort(signal.reason as Error));
  try {
    return await running.done;
  } catch (thrown) {
    throw networkFailure(thrown, SITE);
  } finally {
    stopListening();
    connection.destroy();
  }
}

/** Checks the head: false for a redirect, true for a page, an error for what must not be read. */
function wantsBody(
  answer: Pick<Exchanged, 'status' | 'headers'>,
  target: CheckedUrl,
  options: FetchOptions,
  clock: Clock,
): boolean {
  const { status, headers } = answer;
  if (isRedirect(answer)) return false;
  if (status >= 300) {
    if (status === 402 && options.body === undefined) throw paymentRequired(headers);
    const waitMs = retryAfterMs(headers, clock.now());
    throw new HeadgateError('page_status', own`${SITE} answered with HTTP ${status}.`, {
      data: { status },
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    });
  }
  if (Number(headers['content-length'] ?? 0) > (options.bytesMax ?? LIMITS.fetchBytesMax))
    throw tooLarge(options);
  if (options.types !== 'any') checkDeclaredType(headers['content-type']);
  return true;
}

/** Sites that sell their pages name the price in a header (`USD 0.01`). Nothing is ever paid. */
function paymentRequired(headers: Exchanged['headers']): HeadgateError {
  const price = /^\s*([A-Z]{3})\s+(\d{1,9}(?:\.\d{1,6})?)\s*$/.exec(headers['crawler-price'] ?? '');
  const sum = price === null ? undefined : named(`${price[1]} ${price[2]}`);
  return new HeadgateError(
    'payment_required',
    sum === undefined ? own`${SITE} asks for a payment.` : own`${SITE} asks for a payment of ${sum}.`,
    {
      remediation: 'Headgate never pays. Use another source, or get the page another way.',
      data: { status: 402, ...(sum === undefined ? {} : { price: sum }) },
    },
  );
}

const isRedirect = (answer: Pick<Exchanged, 'status' | 'headers'>): boolean =>
  [301, 302, 303, 307, 308].includes(answer.status) && answer.headers['location'] !== undefined;

async function toPage(
  url: string,
  target: CheckedUrl,
  answer: Exchanged,
  redirects: string[],
  options: FetchOptions,
): Promise<FetchedPage> {
  const { status, replayed } = answer;
  const { 'set-cookie': _dropped, ...headers } = answer.headers;
  const bytesMax = options.bytesMax ?? LIMITS.fetchBytesMax;
  const bytes = await decodeBody(answer.bytes, headers['content-encoding'], bytesMax, {
    tooLarge: () => tooLarge(options),
    unreadable: (reason) => new HeadgateError('unsupported_type', own`This page cannot be read: ${reason}`),
  });
  const declared = headers['content-type'];
  const contentType =
    options.types === 'any'
      ? essenceOf(declared) || (sniffType(bytes) ?? 'application/octet-stream')
      : checkedType(declared, bytes);
  const page = { url, finalUrl: target.url.href, status, headers, contentType, bytes, redirects };
  return replayed === undefined ? page : { ...page, replayed };
}

const ACCEPT =
  'text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.9,application/json;q=0.9,application/pdf;q=0.9,*/*;q=0.1';

/** Headers that belong to the connection, not to the caller. Cookies are never sent. */
const OURS =
  /^(host|connection|content-length|transfer-encoding|te|upgrade|keep-alive|cookie|accept-encoding|proxy-.*)$/;

function requestHeaders(options: FetchOptions, userAgent: string): Record<string, string> {
  const given = Object.entries(options.headers ?? {})
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => !OURS.test(name));
  return {
    'user-agent': userAgent,
    accept: options.accept ?? ACCEPT,
    ...Object.fromEntries(given),
    'accept-encoding': ACCEPT_ENCODING,
  };
}

const redirected = (): HeadgateError =>
  new HeadgateError('redirect_refused', 'A redirect is not followed here.');

const tooLarge = (options: FetchOptions): HeadgateError =>
  new HeadgateError(
    'page_too_large',
    own`This page is larger than ${byteSize(options.bytesMax ?? LIMITS.fetchBytesMax)}.`,
    {
      remediation: 'Fetch a smaller page, or a part of it under its own address.',
    },
  );
