import type { Clock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import { clip, oneLine } from '../../core/text.ts';

/** How far a client can get: finding out how to sign in, registering, asking, being allowed, its token, a call. */
export const HANDSHAKE_STEPS = ['metadata', 'register', 'authorize', 'consent', 'token', 'call'] as const;
export type HandshakeStep = (typeof HANDSHAKE_STEPS)[number];

/** One sign-in of a client, without codes and tokens. Names are the client's own words. */
export interface Handshake {
  at: number;
  updated: number;
  /** Its ID; null before it has said one. */
  client: string | null;
  name: string;
  address: string;
  step: HandshakeStep;
  /** What failed at this step and what to do, or null. */
  failure: { code: string; error: string; fix: string } | null;
}

/** What to do about a failure, by step and code of the protocol. */
export const HANDSHAKE_FIXES: Record<string, string> = {
  'register.invalid_redirect_uri':
    'The client returns to an address that is not https, loopback or a known application. Use another client.',
  'register.temporarily_unavailable': 'Wait a minute; if this goes on, somebody floods the registration.',
  'authorize.invalid_client':
    'Add the client: its host to [auth] client_hosts, itself to [auth] clients, or set [auth] registration = true.',
  'authorize.invalid_request':
    'The client asked in a way that is not allowed. If it returns to a new address, it must register that first.',
  'authorize.invalid_target': 'Set [server] public_url to exactly the address that the client was given.',
  'consent.access_denied': 'The person refused. They can begin again in the client.',
  'token.invalid_client': 'The client is not registered any more. Remove it in the client and add it again.',
  'token.invalid_grant': 'The code or token was used, has expired or was revoked. Begin again in the client.',
  'token.invalid_target': 'Set [server] public_url to exactly the address that the client was given.',
};
const OTHER_FIX = 'Run `headgate doctor --connector` with the address that the client was given.';

export interface Handshakes {
  /** Notes a step of a client, or of an address that has not said which client it is. */
  note(seen: {
    address: string;
    client?: string | undefined;
    name?: string | undefined;
    step: HandshakeStep;
    failed?: { code: string; error: string };
  }): void;
  /** Clients that have a token and have not called yet. */
  awaitsCall(): boolean;
  /** Newest first. */
  latest(): Handshake[];
}

/** The most recent sign-ins of clients at this gateway, in memory only. */
export function createHandshakes(clock: Clock): Handshakes {
  let list: Handshake[] = [];
  const isOpen = (one: Handshake): boolean => clock.now() - one.updated < LIMITS.authorizationMs;
  return {
    note: ({ address, client, name, step, failed }) => {
      const now = clock.now();
      const same = (one: Handshake): boolean =>
        isOpen(one) &&
        (client === undefined || one.client === null ? one.address === address : one.client === client);
      const found = list.find((one) => same(one) && (one.client === null || client !== undefined));
      // A call is only the end of a sign-in that was seen.
      if (step === 'call' && found?.step !== 'token') return;
      const id = client === undefined ? null : clip(oneLine(client), 200);
      const entry: Handshake = {
        at: found?.at ?? now,
        updated: now,
        client: id ?? found?.client ?? null,
        name: clip(oneLine(name ?? ''), 80) || found?.name || '',
        address: found?.address ?? address,
        step,
        failure:
          failed === undefined
            ? null
            : { ...failed, fix: HANDSHAKE_FIXES[`${step}.${failed.code}`] ?? OTHER_FIX },
      };
      list = [entry, ...list.filter((one) => one !== found)].slice(0, LIMITS.handshakesMax);
    },
    awaitsCall: () => list.some((one) => one.step === 'token' && one.failure === null && isOpen(one)),
    latest: () => list,
  };
}
