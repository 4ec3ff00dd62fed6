import { lookup } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { parseAddress, sameAddress, type Address } from './address.ts';
import { networkFailure } from './failure.ts';
import { checkAddress, type CheckedUrl, type GuardPolicy } from './guard.ts';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>;

export interface DialTarget {
  /** The vetted address, and the only one that may be connected to. */
  address: string;
  port: number;
  /** The name for TLS; the address itself when the URL had a literal. */
  host: string;
  secure: boolean;
}

/** An open connection, and to whom it is according to the system. */
export interface Dialled {
  socket: Socket;
  remoteAddress: string | undefined;
}

export type Connect = (target: DialTarget, signal: AbortSignal) => Promise<Dialled>;

/**
 * Step 4 of the guard: look up, check and connect in one go, without a second look-up in between. That is why an answer
 * that changes (DNS rebinding) changes nothing. Literals take the same road.
 */
export async function dial(
  target: CheckedUrl,
  options: { policy: GuardPolicy; resolve: Resolve; connect: Connect; signal: AbortSignal },
): Promise<Socket> {
  const { signal } = options;
  const vetted = await vettedAddresses(target, options);
  signal.throwIfAborted();
  let failure: unknown;
  for (const { text, address } of vetted.slice(0, LIMITS.fetchAddressesMax)) {
    try {
      const dialled = await options.connect(
        { address: text, port: target.port, host: target.host, secure: target.url.protocol === 'https:' },
        signal,
      );
      return verified(dialled, address, target.host);
    } catch (thrown) {
      signal.throwIfAborted();
      failure = thrown;
    }
  }
  throw networkFailure(failure, target.host);
}

async function vettedAddresses(
  target: CheckedUrl,
  { policy, resolve }: { policy: GuardPolicy; resolve: Resolve },
): Promise<{ text: string; address: Address }[]> {
  const { host } = target;
  const answers = target.address === undefined ? await lookUp(host, resolve) : [host];
  return answers.map((text) => {
    const address = parseAddress(text);
    if (address === undefined) {
      throw new HeadgateError('blocked_host', `This host is not fetched: ${host} has an unusable address.`);
    }
    // One address that is not public is enough: a client could be steered to it.
    checkAddress(address, host, policy);
    return { text, address };
  });
}

async function lookUp(host: string, resolve: Resolve): Promise<string[]> {
  const answers = await resolve(host).catch((thrown: unknown) => {
    throw networkFailure(thrown, host);
  });
  if (answers.length > 0) return answers;
  throw new HeadgateError('network_error', `${host} has no address in DNS.`);
}

/** The last check: what the system connected to is what was vetted. */
function verified({ socket, remoteAddress }: Dialled, address: Address, host: string): Socket {
  const remote = parseAddress(remoteAddress ?? '');
  if (remote !== undefined && sameAddress(remote, address)) return socket;
  socket.destroy();
  throw new HeadgateError(
    'blocked_host',
    `The connection to ${host} went to another address than the checked one.`,
  );
}

/** As the system resolves: /etc/hosts included, because its answers are checked like any other. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((answer) => answer.address);

/** TCP, and TLS with full verification where the URL says https. `ca` adds an operator's own authority. */
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
      const onAbort = () => {
        socket.destroy();
        reject(signal.reason);
      };
      const onError = (thrown: Error) => {
        signal.removeEventListener('abort', onAbort);
        reject(thrown);
      };
      socket.once('error', onError);
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        signal.removeEventListener('abort', onAbort);
        socket.off('error', onError);
        resolve({ socket, remoteAddress: socket.remoteAddress });
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
}
