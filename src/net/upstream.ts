import { decodeCharset } from '../core/decode-charset.ts';
import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { named, own } from '../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import { LIMITS } from '../core/limits.ts';
import { onAbort } from '../core/on-abort.ts';
import { ACCEPT_ENCODING, decodeBody } from './decode.ts';
import { createConnectionPool, exchange, type Connection, type ExchangeRequest } from './exchange.ts';
import { abortFailure, networkFailure } from './failure.ts';
import { isExempt, throughProxy } from './proxy.ts';
import { liveWeb, type Web } from './web.ts';

export interface ProxySettings {
  http?: string;
  https?: string;
  noProxy?: string;
}

export interface SendOptions {
  signal: AbortSignal;
  timeoutMs?: number;
  bytesMax?: number;
  onWritten?(): void;
  /** The provider's name for messages. */
  provider: string;
}

export interface Upstream {
  /**
   * Sends one request to a provider's API. Every status is data, redirects too; only network failures throw.
   */
  send(request: HttpRequest, options: SendOptions): Promise<HttpResponse>;
  close(): Promise<void>;
}

/**
 * The client for provider APIs. It trusts configured addresses, so nothing that a caller names may be sent
 * through it.
 */
export function createUpstream(options: { proxy?: ProxySettings; web?: Web } = {}): Upstream {
  const direct = createConnectionPool();
  const opened = new Map([['', direct]]);
  const poolFor = (url: URL): Connection => {
    const proxy = (url.protocol === 'https:' ? options.proxy?.https : options.proxy?.http) ?? '';
    if (proxy === '' || isExempt(url, options.proxy?.noProxy ?? '')) return direct;
    const pool = opened.get(proxy) ?? createConnectionPool(throughProxy(new URL(proxy)));
    opened.set(proxy, pool);
    return pool;
  };
  return {
    send: (request, sendOptions) => send(poolFor, options.web ?? liveWeb, request, sendOptions),
    close: async () => {
      for (const pool of opened.values()) pool.destroy();
    },
  };
}

async function send(
  poolFor: (url: URL) => Connection,
  web: Web,
  request: HttpRequest,
  options: SendOptions,
): Promise<HttpResponse> {
  const { signal, provider } = options;
  if (signal.aborted) throw abortFailure(signal);
  const bytesMax = options.bytesMax ?? LIMITS.upstreamBodyBytesMax;
  const url = URL.parse(request.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new HeadgateError('invalid_config', own`${named(provider)} has no http(s) address.`, { provider });
  }
  const unreadable = (reason: OwnText) =>
    new HeadgateError('upstream_bad_answer', own`${named(provider)}: ${reason}`, { provider });
  const tooLarge = () => unreadable(own`the answer is longer than ${bytesMax} bytes.`);
  const asked: ExchangeRequest = {
    url,
    method: request.method,
    headers: { 'accept-encoding': ACCEPT_ENCODING, ...request.headers },
    bytesMax,
    tooLarge,
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(options.onWritten === undefined ? {} : { onWritten: options.onWritten }),
  };
  const running = web.exchange(asked, 'provider', (sent) => exchange(poolFor(url), sent));
  const timeoutMs = options.timeoutMs ?? LIMITS.providerTimeoutMs;
  const timer = setTimeout(() => {
    const message = own`${named(provider)} did not answer within ${timeoutMs / 1000} s.`;
    running.abort(new HeadgateError('upstream_timeout', message, { provider }));
  }, timeoutMs);
  const stopListening = onAbort(signal, () => running.abort(abortFailure(signal)));
  try {
    const { status, headers, bytes, replayed } = await running.done;
    const body = await decodeBody(bytes, headers['content-encoding'], bytesMax, { tooLarge, unreadable });
    const answer = { status, headers, body: toText(body, headers['content-type'] ?? ''), url: request.url };
    return replayed === undefined ? answer : { ...answer, replayed };
  } catch (thrown) {
    throw networkFailure(thrown, named(provider), provider);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/**
 * Decodes as UTF-8 if valid, otherwise as the header says, otherwise as Latin-1, in which every byte is a
 * character.
 */
function toText(bytes: Buffer, contentType: string): string {
  try {
    return decodeCharset(bytes, 'utf-8', { fatal: true });
  } catch {
    return decodeNamed(bytes, /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1] ?? LATIN);
  }
}

const LATIN = 'windows-1252';

function decodeNamed(bytes: Buffer, charset: string): string {
  try {
    return decodeCharset(bytes, charset);
  } catch {
    return decodeCharset(bytes, LATIN);
  }
}
