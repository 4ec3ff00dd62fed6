import { lookup } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { onAbort } from '../core/on-abort.ts';
import { parseAddress, sameAddress, type Address } from './address.ts';
import { networkFailure, SITE } from './failure.ts';
import { checkAddress, type CheckedUrl, type GuardPolicy } from './guard.ts';

/** Resolves a name to all of its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

export interface DialTarget {
  /** The vetted address. No other one may be connected to. */
  address: string;
  port: number;
  /** The name for TLS, or the address when the URL has a literal. */
  host: string;
  secure: boolean;
}

/** An open connection, with the remote address as the system reports it. */
export interface Dialled {
  socket: Socket;
  remoteAddress: string | undefined;
}

export type Connect = (target: DialTarget, signal: AbortSignal) => Promise<Dialled>;

interface DialOptions {
  policy: GuardPolicy;
  resolve: Resolve;
  connect: Connect;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Step 4 of the guard: resolves, checks and connects in one go, without a second look-up in between, so that
 * DNS rebinding has no effect. Address literals take the same path.
 */
export async function dial(target: CheckedUrl, options: DialOptions): Promise<Socket> {
  const { signal } = options;
  const vetted = await vettedAddresses(target, options);
  signal.throwIfAborted();
  let failure: unknown;
  const tried = alternate(vetted).slice(0, LIMITS.fetchAddressesMax);
  for (const [index, { text, address }] of tried.entries()) {
    const goal = {
      address: text,
      port: target.port,
      host: target.host,
      secure: target.url.protocol === 'https:',
    };
    try {
      const isLast = index === tried.length - 1;
      const dialled = await (isLast ? options.connect(goal, signal) : connectSoon(goal, options));
      return verified(dialled, address);
    } catch (thrown) {
      signal.throwIfAborted();
      failure = thrown;
    }
  }
  throw networkFailure(failure, SITE);
}

/**
 * Connects within a short time, so that an address that drops packets does not use up the time of the next
 * one.
 */
async function connectSoon(goal: DialTarget, { connect, signal, clock }: DialOptions): Promise<Dialled> {
  const attempt = new AbortController();
  const stopListening = onAbort(signal, () => attempt.abort(signal.reason));
  const giveUp = () => attempt.abort(Object.assign(new Error('No answer.'), { code: 'ETIMEDOUT' }));
  const timer = new AbortController();
  void clock.sleep(LIMITS.fetchAddressMs, timer.signal).then(giveUp, () => {});
  try {
    return await connect(goal, attempt.signal);
  } finally {
    stopListening();
    timer.abort();
  }
}

/** Interleaves IPv6 and IPv4, because one of the two may not work from here. */
function alternate<Vetted extends { address: Address }>(vetted: Vetted[]): Vetted[] {
  const [first] = vetted;
  const isLikeFirst = ({ address }: Vetted) => address.length === first?.address.length;
  const like = vetted.filter(isLikeFirst);
  const unlike = vetted.filter((candidate) => !isLikeFirst(candidate));
  return like
    .flatMap((candidate, index) => [candidate, ...unlike.slice(index, index + 1)])
    .concat(unlike.slice(like.length));
}

async function vettedAddresses(
  target: CheckedUrl,
  { policy, resolve }: DialOptions,
): Promise<{ text: string; address: Address }[]> {
  const { host } = target;
  const answers = target.address === undefined ? await lookUp(host, resolve) : [host];
  return answers.map((text) => {
    const address = parseAddress(text);
    if (address === undefined) {
      throw new HeadgateError('blocked_host', 'This host is not fetched: it has an unusable address.');
    }
    // One address that is not public is enough to refuse the name: a client could be steered to it.
    checkAddress(address, host, policy);
    return { text, address };
  });
}

async function lookUp(host: string, resolve: Resolve): Promise<string[]> {
  const answers = await resolve(host).catch((thrown: unknown) => {
    throw networkFailure(thrown, SITE);
  });
  if (answers.length > 0) return answers;
  throw new HeadgateError('network_error', own`${SITE} has no address in DNS.`);
}

/** The last check: the connected address must be the vetted one. */
function verified({ socket, remoteAddress }: Dialled, address: Address): Socket {
  const remote = parseAddress(remoteAddress ?? '');
  if (remote !== undefined && sameAddress(remote, address)) return socket;
  socket.destroy();
  throw new HeadgateError('blocked_host', 'The connection did not go to the address that was checked.');
}

/** Resolves as the system does, /etc/hosts included. Its answers are checked like any other. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((answer) => answer.address);

/** Connects with TCP, and with verified TLS for https. `ca` adds an authority of the operator. */
export function createSystemConnect(ca?: string): Connect {
  return ({ address, port, host, secure }, signal) =>
    new Promise((resolve, reject) => {
      const socket: Socket = secure
        ? connectSecure({
            host: address,
            port,
            ...(parseAddress(host) === undefined ? { servername: host } : {}),
            ...(ca === undefined ? {} : { ca }),
            ALPNProtocols: ['http/1.1'],
            minVersion: 'TLSv1.2',
          })
        : connectPlain({ host: address, port });
      const stopListening = onAbort(signal, () => {
        socket.destroy();
        reject(signal.reason);
      });
      const onError = (thrown: Error) => {
        stopListening();
        reject(thrown);
      };
      socket.once('error', onError);
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        stopListening();
        socket.off('error', onError);
        resolve({ socket, remoteAddress: socket.remoteAddress });
      });
    });
}
