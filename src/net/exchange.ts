import type { Socket } from 'node:net';
import type * as undici from 'undici';
// @ts-expect-error The package has types only for its index, which loads twice as much as is needed here.
import agentClass from 'undici/lib/dispatcher/agent.js';
// @ts-expect-error As above.
import clientClass from 'undici/lib/dispatcher/client.js';
import { LIMITS } from '../core/limits.ts';

// The only file that imports undici. Its timeouts are off, because they are coarse (about a second); ours
// apply.

const Agent = agentClass as typeof undici.Agent;
const Client = clientClass as typeof undici.Client;
type Dispatcher = undici.Dispatcher;
type DispatchController = undici.Dispatcher.DispatchController;

export type Connection = Dispatcher;

export interface ExchangeRequest {
  url: URL;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body?: string;
  /** The largest body on the wire; a larger one fails with `tooLarge`. */
  bytesMax: number;
  tooLarge(): Error;
  /**
   * Called with the head before the body is read. Throwing ends the exchange; `false` ends it without a body.
   */
  onHead?(status: number, headers: Record<string, string>): boolean;
  /** Called for each chunk of the body. */
  onProgress?(): void;
}

type RawHeaders = Record<string, string | string[] | undefined>;

export interface Exchanged {
  status: number;
  headers: Record<string, string>;
  /** The bytes as received, still encoded. */
  bytes: Buffer;
}

/**
 * Sends one request and reads its bounded response. `abort` ends it at any time, also while it waits for a
 * connection.
 */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
): { done: Promise<Exchanged>; abort(reason: Error): void } {
  let controller: DispatchController | undefined;
  let over: { reason: Error } | undefined;
  let abort = (_reason: Error) => {};
  const done = new Promise<Exchanged>((resolve, reject) => {
    abort = (reason) => {
      if (over !== undefined) return;
      over = { reason };
      reject(reason);
      controller?.abort(reason);
    };
    const receiver = createReceiver(request, abort, resolve);
    connection.dispatch(toDispatch(request), {
      onRequestStart(started) {
        controller = started;
        if (over !== undefined) started.abort(over.reason);
      },
      onResponseStart: (current, status, headers) => receiver.head(current, status, headers),
      onResponseData: (_current, chunk) => receiver.data(chunk),
      onResponseEnd: () => receiver.end(),
      onResponseError: (_current, error) => reject(error),
    });
  });
  return { done, abort };
}

function createReceiver(
  request: ExchangeRequest,
  abort: (reason: Error) => void,
  resolve: (answer: Exchanged) => void,
) {
  const chunks: Buffer[] = [];
  let length = 0;
  let head: { status: number; headers: Record<string, string> } = { status: 0, headers: {} };
  const end = () => {
    const [first] = chunks;
    resolve({ ...head, bytes: first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks) });
  };
  return {
    end,
    head(current: DispatchController, status: number, headers: RawHeaders) {
      // Interim responses (1xx) are skipped.
      if (status < 200) return;
      head = { status, headers: flatten(headers) };
      try {
        if (request.onHead?.(status, head.headers) !== false) return;
        end();
        current.abort(new Error('The body is not wanted.'));
      } catch (thrown) {
        abort(thrown as Error);
      }
    },
    data(chunk: Buffer) {
      length += chunk.length;
      if (length > request.bytesMax) {
        abort(request.tooLarge());
        return;
      }
      chunks.push(chunk);
      request.onProgress?.();
    },
  };
}

const POOL = {
  connections: LIMITS.upstreamConcurrencyMax,
  connect: { timeout: LIMITS.fetchConnectMs },
  keepAliveTimeout: LIMITS.upstreamKeepAliveMs,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: LIMITS.upstreamHeaderBytesMax,
};

/** Kept-alive connections to provider APIs. */
export const createPool = (): Connection => new Agent(POOL);

/** The same through a proxy, except for the hosts in `noProxy`. */
export async function createProxyPool(url: string, noProxy: string): Promise<Connection> {
  // @ts-expect-error As above.
  const found = (await import('undici/lib/dispatcher/env-http-proxy-agent.js')) as { default: unknown };
  const EnvHttpProxyAgent = found.default as typeof undici.EnvHttpProxyAgent;
  // Its tunnels call `connect` of a dispatcher, which only undici's whole index puts there.
  // @ts-expect-error As above.
  const api = (await import('undici/lib/api/api-connect.js')) as { default: undici.Dispatcher['connect'] };
  // @ts-expect-error As above.
  const base = (await import('undici/lib/dispatcher/dispatcher.js')) as {
    default: { prototype: undici.Dispatcher };
  };
  base.default.prototype.connect = api.default;
  // Both schemes are set, because a missing one would be read from the process environment.
  return new EnvHttpProxyAgent({ ...POOL, httpProxy: url, httpsProxy: url, noProxy });
}

/**
 * A connection for one exchange with one origin, over the socket that `dial` returns. Nothing is kept alive
 * or shared.
 */
export function createSingleConnection(origin: string, dial: () => Promise<Socket>): Connection {
  return new Client(origin, {
    connect: (_options, callback) => {
      dial().then(
        (socket) => callback(null, socket),
        (thrown: unknown) => callback(thrown as Error, null),
      );
    },
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: LIMITS.fetchHeaderBytesMax,
  });
}

function toDispatch(request: ExchangeRequest): undici.Dispatcher.DispatchOptions {
  return {
    origin: request.url.origin,
    path: request.url.pathname + request.url.search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** One string per header; repeated headers are joined as HTTP defines. */
function flatten(headers: RawHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
