import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { LIMITS } from '../core/limits.ts';
import { playFault, type Fault, FAULT_KINDS, isFault } from './faults.ts';
import { createScript, type RequestMatch, type Script } from './script.ts';
import type { SimRequest, SimResponse, SimUpstream } from './upstream.ts';
import { createWire } from './wire.ts';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

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

// A self-signed certificate, encoded as DER by hand: Node can sign but not issue certificates, and a key must
// not be in the repository.

interface Certificate {
  key: string;
  cert: string;
}

/** A certificate for `host` (a name or 127.0.0.1), valid between two dates. */
function createCertificate(host: string, validFrom: Date, validTo: Date): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(objectId(ECDSA_SHA256));
  const name = sequence(set(sequence(objectId(COMMON_NAME), tagged(0x0c, Buffer.from('headgate sim')))));
  const serial = tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    serial,
    algorithm,
    name,
    sequence(utcTime(validFrom), utcTime(validTo)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension(SUBJECT_ALT_NAME, sequence(alternativeName(host))))),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const der = sequence(body, algorithm, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

const ECDSA_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
const objectId = (bytes: number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const extension = (id: number[], value: Buffer): Buffer => sequence(objectId(id), tagged(0x04, value));

/** `YYMMDDHHMMSSZ`. */
const utcTime = (date: Date): Buffer =>
  tagged(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));

const alternativeName = (host: string): Buffer =>
  /^[\d.]+$/.test(host)
    ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
    : tagged(0x82, Buffer.from(host));
