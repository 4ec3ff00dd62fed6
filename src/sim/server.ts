import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { LIMITS } from '../core/limits.ts';
import { playFault, type Fault, FAULT_KINDS, isFault } from './faults.ts';
import { createScript, type RequestMatch, type Script } from './script.ts';
import type { SimRequest, SimResponse, SimUpstream } from './upstream.ts';
import { createWire } from './wire.ts';

export interface Sim {
  /** `http://127.0.0.1:PORT`; an upstream's base URL is this plus `/<id>`. */
  url: string;
  port: number;
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
  /** Makes the server; tests make one with TLS. */
  serverOf?: (listener: RequestListener) => Server;
}): Promise<Sim> {
  const { upstreams, port = 0, host = '127.0.0.1', serverOf = plainServer } = options;
  const script = createScript();
  const requests: SimRequest[] = [];
  const load = { active: 0, peak: 0 };
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
  const { server, sockets } = await listen(serverOf(listener), { port, host });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
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

/** Clients that keep connections alive would race a short timeout. */
export const SIM_KEEP_ALIVE = { keepAliveTimeout: LIMITS.simKeepAliveMs };
const plainServer = (listener: RequestListener): Server => createServer(SIM_KEEP_ALIVE, listener);

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

async function listen(server: Server, { port, host }: { port: number; host: string }) {
  const sockets = new Set<Socket>();
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

/**
 * The simulator's own paths, for external scripts: `POST /__script {"match": "/duckduckgo", "faults":
 * [{"kind": "status", "status": 503}]}`, `POST /__reset`, `GET /__requests`. Undefined for anything else.
 */
function control(request: SimRequest, script: Script, requests: SimRequest[]): SimResponse | undefined {
  const call = `${request.method} ${request.url.pathname}`;
  if (call === 'GET /__requests') return json(200, requests);
  if (call === 'POST /__reset') {
    script.clear();
    requests.length = 0;
    return json(200, { ok: true });
  }
  if (call !== 'POST /__script') return undefined;
  const parsed = parseScript(request.body);
  if (parsed === undefined) {
    const error = `Send {"match": "/path", "faults": [{"kind": …}]}. Kinds: ${FAULT_KINDS.join(', ')}.`;
    return json(400, { error });
  }
  script.add(...parsed);
  return json(200, { ok: true });
}

function parseScript(body: string): Parameters<Script['add']> | undefined {
  try {
    const { match, faults } = JSON.parse(body) as { match?: unknown; faults?: unknown };
    const path: unknown =
      typeof match === 'object' && match !== null ? (match as { path?: unknown }).path : match;
    if (typeof path !== 'string' || !Array.isArray(faults) || !faults.every(isFault)) return undefined;
    return [match as Parameters<Script['add']>[0], faults];
  } catch {
    return undefined;
  }
}

const json = (status: number, value: unknown): SimResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
