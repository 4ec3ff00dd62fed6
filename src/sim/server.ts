import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { LIMITS } from '../core/limits.ts';
import { createCertificate, type Certificate } from './certificate.ts';
import { control } from './control.ts';
import { playFault, type Fault } from './faults.ts';
import { createScript, type RequestMatch } from './script.ts';
import type { SimRequest, SimResponse, SimUpstream } from './upstream.ts';
import { createWire } from './wire.ts';

/** The TLS of the simulator; `stall` accepts the connection and never answers. */
export type SimTls = 'valid' | 'expired' | 'wrong-host' | 'old-version' | 'stall';

export interface Sim {
  /** `http://127.0.0.1:PORT`; an upstream's base URL is this plus `/<id>`. */
  url: string;
  port: number;
  /** The certificate that a client must trust to accept `valid`. */
  certificate: string | undefined;
  /** Every request so far, the latest last; bounded. */
  requests: SimRequest[];
  /** The number of requests in progress, and the highest so far. */
  load: { active: number; peak: number };
  /** Matching requests take one fault each, in order. */
  script(match: RequestMatch, faults: Fault[]): void;
  /** Clears scripts, requests and load. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * Starts scripted upstreams on this machine: the only fake of an upstream in the tests, and `headgate sim`
 * for users.
 */
export async function startSim(options: {
  upstreams: SimUpstream[];
  port?: number;
  host?: string;
  tls?: SimTls;
}): Promise<Sim> {
  const { upstreams, port = 0, host = '127.0.0.1', tls } = options;
  const script = createScript();
  const requests: SimRequest[] = [];
  const load = { active: 0, peak: 0 };
  const certificate = tls === undefined ? undefined : certificateFor(tls, host);
  const listener: RequestListener = (incoming, response) => {
    load.active += 1;
    load.peak = Math.max(load.peak, load.active);
    response.once('close', () => {
      load.active -= 1;
    });
    void serve(incoming, response);
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(incoming);
    if (body === undefined) return;
    const request = toRequest(incoming, body);
    const own = control(request, script, requests);
    if (own === undefined) {
      requests.push(request);
      if (requests.length > LIMITS.simRequestsMax) requests.shift();
    }
    const fault = own === undefined ? script.next(request) : undefined;
    const answer = own ?? answerOf(request, upstreams);
    playFault(fault ?? { kind: 'pass' }, createWire(response, incoming.socket), answer);
  };
  const { server, sockets } = await listen(listener, { port, host, tls, certificate });
  const address = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${address.port}`,
    port: address.port,
    certificate: certificate?.cert,
    requests,
    load,
    script: (match, faults) => script.add(match, faults),
    reset: () => {
      script.clear();
      requests.length = 0;
      load.peak = load.active;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Passes the request to the upstream whose ID begins the path, without that ID. */
function answerOf(request: SimRequest, upstreams: SimUpstream[]): SimResponse {
  const [, id = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(request.url.pathname) ?? [];
  const upstream = upstreams.find((candidate) => candidate.id === id);
  const url = new URL(request.url);
  url.pathname = rest === '' ? '/' : rest;
  const answer = upstream?.handle({ ...request, url });
  if (answer !== undefined) return answer;
  const ids = upstreams.map((candidate) => `/${candidate.id}/`).join(' ');
  return {
    status: 404,
    headers: { 'content-type': 'text/plain' },
    body: `Not simulated. There are: ${ids}\n`,
  };
}

async function listen(
  listener: RequestListener,
  options: { port: number; host: string; tls: SimTls | undefined; certificate: Certificate | undefined },
): Promise<{ server: Server; sockets: Set<Socket> }> {
  const { port, host, tls, certificate } = options;
  const sockets = new Set<Socket>();
  // Clients that keep connections alive would race a short timeout.
  const keepAlive = { keepAliveTimeout: LIMITS.simKeepAliveMs };
  const server: Server =
    tls === 'stall'
      ? createSocketServer()
      : certificate === undefined
        ? createServer(keepAlive, listener)
        : createSecureServer({ ...keepAlive, ...certificate, ...versionsOf(tls) }, listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { server, sockets };
}

function certificateFor(tls: SimTls, host: string): Certificate {
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const [from, to] = tls === 'expired' ? [now - 2 * day, now - day] : [now - day, now + day];
  return createCertificate(tls === 'wrong-host' ? 'elsewhere.example' : host, new Date(from), new Date(to));
}

/** OpenSSL 3 supports TLS 1.0 only at security level 0. */
const versionsOf = (tls: SimTls | undefined): ServerOptions =>
  tls === 'old-version' ? { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } : {};

async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming) {
      length += (chunk as Buffer).length;
      if (length > LIMITS.requestBodyBytesMax) throw new Error('The body is too long.');
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    incoming.socket.destroy();
    return undefined;
  }
}

function toRequest(incoming: IncomingMessage, body: string): SimRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  const path = incoming.url?.startsWith('/') ? incoming.url : '/';
  const origin = URL.parse(`http://${headers['host']}`)?.origin ?? 'http://sim';
  return {
    method: incoming.method ?? 'GET',
    url: new URL(origin + path),
    headers,
    body,
  };
}
