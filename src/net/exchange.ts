import {
  Agent as PlainAgent,
  request as sendRequest,
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { LIMITS } from '../core/limits.ts';

// Requests over Node's own HTTP client. It has no timeouts here except for connecting; ours apply.

/** Where the sockets of requests come from. */
export interface Connection {
  options(url: URL): RequestOptions;
  destroy(): void;
}

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
  /** Called when the request was handed to the system, over an open connection. */
  onWritten?(): void;
  /** Called for each chunk of the body. */
  onProgress?(): void;
}

export interface Exchanged {
  status: number;
  headers: Record<string, string>;
  /** The bytes as received, still encoded. */
  bytes: Buffer;
  /** See `HttpResponse`. */
  replayed?: 'canonical';
}

/**
 * Sends one request and reads its bounded response. `abort` ends it at any time, also while it waits for a
 * connection.
 */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
): { done: Promise<Exchanged>; abort(reason: Error): void } {
  let abort = (_reason: Error) => {};
  const done = new Promise<Exchanged>((resolve, reject) => {
    const { url, method, headers } = request;
    const sent = sendRequest({
      ...connection.options(url),
      path: url.pathname + url.search,
      method,
      headers: { host: url.host, ...headers },
    });
    abort = (reason) => {
      reject(reason);
      // Without the reason, which a pooled socket would throw at nobody.
      sent.destroy();
    };
    let received: IncomingMessage | undefined;
    sent.on('response', (response) => {
      received = response;
      receive(response, request, abort, resolve);
    });
    sent.on('error', (error) => {
      // What follows a whole answer does not make it worse.
      if (received?.complete !== true) reject(plainly(error));
    });
    if (request.onWritten !== undefined) sent.on('finish', request.onWritten);
    limitConnecting(sent, url.protocol === 'https:' ? 'secureConnect' : 'connect');
    sent.end(request.body);
  });
  return { done, abort };
}

function receive(
  response: IncomingMessage,
  request: ExchangeRequest,
  abort: (reason: Error) => void,
  resolve: (answer: Exchanged) => void,
): void {
  const status = response.statusCode ?? 0;
  const headers = flatten(response.headersDistinct);
  const chunks: Buffer[] = [];
  let length = 0;
  const end = () => {
    const [first] = chunks;
    const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
    resolve({ status, headers, bytes });
  };
  response.on('error', (error) => abort(plainly(error)));
  try {
    if (request.onHead?.(status, headers) === false) {
      end();
      abort(new Error('The body is not wanted.'));
      return;
    }
  } catch (thrown) {
    abort(thrown as Error);
    return;
  }
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > request.bytesMax) {
      abort(request.tooLarge());
      return;
    }
    chunks.push(chunk);
    request.onProgress?.();
  });
  response.on('end', end);
}

/**
 * The same error with a code that says what happened. Node reports a connection that was closed early like one that was
 * reset, which only the system says, and a failed handshake by what could not be written.
 */
function plainly(error: NodeJS.ErrnoException): Error {
  const [, handshake] = /SSL routines:\w*:([\w ]+)/.exec(error.message) ?? [];
  const isCutOff = error.code === 'ECONNRESET' && error.syscall === undefined;
  const code =
    error.code === 'EPROTO' && handshake !== undefined
      ? `ERR_SSL_${handshake.toUpperCase().replaceAll(' ', '_')}`
      : 'ERR_STREAM_PREMATURE_CLOSE';
  return isCutOff || error.code === 'EPROTO'
    ? Object.assign(new Error(error.message, { cause: error }), { code })
    : error;
}

function limitConnecting(sent: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  sent.once('socket', (socket: Socket) => {
    if (!socket.connecting) return;
    const late = () => sent.destroy(Object.assign(new Error('No connection.'), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(late, LIMITS.fetchConnectMs);
    const stop = () => clearTimeout(timer);
    socket.once(connected, stop);
    socket.once('close', stop);
  });
}

const POOL: AgentOptions = {
  keepAlive: true,
  maxSockets: LIMITS.upstreamConcurrencyMax,
  // Of a connection that nobody uses.
  timeout: LIMITS.upstreamKeepAliveMs,
};

/** Kept-alive connections to provider APIs; `prepare` may change how an agent connects. */
export function createConnectionPool(
  prepare: (agent: PlainAgent, isSecure: boolean) => void = () => {},
): Connection {
  const agents = new Map<boolean, PlainAgent>();
  // Made when the first request needs it: most processes use one of the two, and many none.
  const agentFor = (isSecure: boolean): PlainAgent => {
    const found = agents.get(isSecure) ?? keepShort(isSecure ? new SecureAgent(POOL) : new PlainAgent(POOL));
    if (!agents.has(isSecure)) prepare(found, isSecure);
    agents.set(isSecure, found);
    return found;
  };
  return {
    options: ({ protocol, hostname, port }) => ({
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent: agentFor(protocol === 'https:'),
      maxHeaderSize: LIMITS.upstreamHeaderBytesMax,
    }),
    destroy: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** Gives a connection up a little before the server does, so that no request is sent into its closing. */
function keepShort<Kind extends PlainAgent>(agent: Kind): Kind {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Socket) => boolean;
  agent.keepSocketAlive = (socket: Socket) => {
    const isKept = keep(socket);
    socket.setTimeout(Math.max(1, (socket.timeout ?? 0) - LIMITS.upstreamKeepAliveMarginMs));
    return isKept;
  };
  return agent;
}

/**
 * A connection for one exchange with one origin, over the socket that `dial` returns. Nothing is kept alive
 * or shared.
 */
export function createSingleConnection(dial: () => Promise<Socket>): Connection {
  let opened: Socket | undefined;
  return {
    options: () => ({
      createConnection: (_options, callback) => {
        dial().then(
          (socket) => {
            opened = socket;
            callback(null, socket);
          },
          (thrown: unknown) => callback(thrown as Error, undefined as never),
        );
        return undefined;
      },
      maxHeaderSize: LIMITS.fetchHeaderBytesMax,
    }),
    destroy: () => opened?.destroy(),
  };
}

/** One string per header; repeated headers are joined as HTTP defines. */
function flatten(headers: NodeJS.Dict<string[]>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) flat[name] = headers[name]?.join(', ') ?? '';
  return flat;
}
