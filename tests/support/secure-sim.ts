import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type ServerOptions } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { startSim, SIM_KEEP_ALIVE, type Sim } from '../../src/sim/server.ts';
import type { SimUpstream } from '../../src/sim/upstream.ts';

/** The TLS of a simulator; `stall` accepts the connection and never answers. */
type SimTls = 'valid' | 'expired' | 'wrong-host' | 'old-version' | 'stall';

const HOST = '127.0.0.1';

/** Starts a simulator over https, with the certificate that a client must trust to accept `valid`. */
export async function startSecureSim(
  tls: SimTls,
  upstreams: SimUpstream[] = [],
): Promise<Sim & { certificate: string }> {
  const certificate = certificateFor(tls, HOST);
  const sim = await startSim({
    upstreams,
    host: HOST,
    serverOf: (listener) =>
      tls === 'stall'
        ? createSocketServer()
        : createServer({ ...SIM_KEEP_ALIVE, ...certificate, ...versionsOf(tls) }, listener),
  });
  return { ...sim, url: sim.url.replace('http:', 'https:'), certificate: certificate.cert };
}

function certificateFor(tls: SimTls, host: string): Certificate {
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const [from, to] = tls === 'expired' ? [now - 2 * day, now - day] : [now - day, now + day];
  return createCertificate(tls === 'wrong-host' ? 'elsewhere.example' : host, new Date(from), new Date(to));
}

/** OpenSSL 3 supports TLS 1.0 only at security level 0. */
const versionsOf = (tls: SimTls): ServerOptions =>
  tls === 'old-version' ? { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } : {};

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
