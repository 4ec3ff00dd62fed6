import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Admin } from '../../store/sessions.ts';
import type { AdminGate } from '../admin/mount.ts';
import { keyOf } from '../http/credentials.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import type { HttpWorld } from '../http/world.ts';
import { isSecure, readSessionCookie, sessionCookie } from './cookie.ts';
import { checkSameOrigin } from './same-origin.ts';

/** Somebody who is signed in, and the token that their writes must carry. */
export interface SignedIn {
  admin: Admin;
  csrf: string;
}

export interface ConsoleAuth {
  /** Who is signed in, if anybody. */
  who(context: Context): Promise<SignedIn | undefined>;
  /** Throws unless somebody is signed in and, for a write, the request is the console's own. */
  require(context: Context): Promise<SignedIn>;
  /** Checks name and password and opens a session. Guessing is slowed down by name and by address. */
  signIn(context: Context, name: string, password: string): Promise<SignedIn>;
  signOut(context: Context): Promise<void>;
  setUp(context: Context, input: { token: string; name: string; password: string }): Promise<SignedIn>;
  changePassword(context: Context, passwords: { old: string; new: string }): Promise<SignedIn>;
  /** Opens the admin API to whoever is signed in; requests with a key or token go where they always went. */
  gate(other: AdminGate): AdminGate;
}

export function createConsoleAuth(world: HttpWorld): ConsoleAuth {
  const { sessions } = world.store;
  const slow = createSlowDown(world);
  const door = createDoor(world);
  const note = (context: Context, actor: string, action: string): Promise<void> => {
    const bounded = actor.slice(0, LIMITS.meterNameCharsMax);
    return sessions.note({ actor: bounded, address: world.addressOf(context), action });
  };
  const verify = async (context: Context, name: string, password: string): Promise<Admin> => {
    const admin = await slow(context, name, () => sessions.verify(name, password));
    if (admin !== undefined) return admin;
    await note(context, name, 'sign-in refused');
    throw new HeadgateError('sign_in_refused', 'Name or password is wrong.');
  };
  return {
    who: door.who,
    require: door.require,
    signIn: async (context, name, password) => {
      checkSameOrigin(context);
      const admin = await verify(context, name, password);
      await note(context, admin.name, 'signed in');
      return door.open(context, admin);
    },
    signOut: async (context) => {
      const { admin } = await door.require(context);
      await door.close(context);
      await note(context, admin.name, 'signed out');
    },
    setUp: async (context, input) => {
      checkSameOrigin(context);
      const admin = await slow(context, 'setup', () => sessions.setUp(input));
      await note(context, admin.name, 'set a password with a setup link');
      return door.open(context, admin);
    },
    changePassword: async (context, passwords) => {
      const { admin } = await door.require(context);
      await verify(context, admin.name, passwords.old);
      await sessions.changePassword(admin, passwords.new);
      await note(context, admin.name, 'changed their password');
      return door.open(context, admin);
    },
    gate: (other) => async (context) => {
      if (keyOf(context.req) !== undefined || !door.hasToken(context)) return other(context);
      return { name: `console: ${(await door.require(context)).admin.name}` };
    },
  };
}

/** Sessions as cookies. */
function createDoor({ store: { sessions }, services }: HttpWorld) {
  const secureOf = (context: Context): boolean => isSecure(context, services.config.server.behind_proxy);
  const tokenOf = (context: Context): string | undefined => readSessionCookie(context, secureOf(context));
  const who = async (context: Context): Promise<SignedIn | undefined> => {
    const token = tokenOf(context);
    const admin = token === undefined ? undefined : await sessions.find(token);
    return token === undefined || admin === undefined ? undefined : { admin, csrf: csrfOf(token) };
  };
  return {
    who,
    hasToken: (context: Context) => tokenOf(context) !== undefined,
    require: async (context: Context): Promise<SignedIn> => {
      const isReading = context.req.method === 'GET';
      if (!isReading) checkSameOrigin(context);
      const signedIn = await who(context);
      if (signedIn === undefined) throw new HeadgateError('unauthenticated', 'Sign in to the console.');
      if (!isReading) checkCsrf(context, signedIn.csrf);
      return signedIn;
    },
    open: async (context: Context, admin: Admin): Promise<SignedIn> => {
      const token = await sessions.open(admin);
      context.header('set-cookie', sessionCookie(token, secureOf(context)));
      return { admin, csrf: csrfOf(token) };
    },
    close: async (context: Context): Promise<void> => {
      await sessions.close(tokenOf(context) ?? '');
      context.header('set-cookie', sessionCookie(undefined, secureOf(context)));
    },
  };
}

/** Every check of a password costs memory and time on purpose, so they are counted before and done one after another. */
function createSlowDown({ services, addressOf }: HttpWorld) {
  const tries = createRateLimit({
    clock: services.clock,
    perMinute: LIMITS.signInsPerMinute,
    namesMax: LIMITS.clientsMax,
  });
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <Value>(context: Context, name: string, check: () => Promise<Value>): Promise<Value> => {
    for (const who of [`address ${addressOf(context)}`, `name ${name}`]) {
      const refused = tries.take(who);
      if (refused !== undefined) throw tooMany(refused.retryAfterMs);
    }
    if (waiting >= LIMITS.passwordChecksMax) throw tooMany(1_000);
    waiting += 1;
    const done = last.then(check).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}

const tooMany = (retryAfterMs: number): HeadgateError =>
  new HeadgateError('locked_out', 'Too many tries.', {
    remediation: `Wait ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} seconds and try again.`,
    retryAfterMs,
  });

function checkCsrf(context: Context, csrf: string): void {
  const given = Buffer.from(context.req.header('x-csrf-token') ?? '');
  const wanted = Buffer.from(csrf);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new HeadgateError('forbidden', 'The request lacks the console’s token.', {
    remediation: 'Reload the page.',
  });
}

/** Made from the session's own token, so that it needs no place in the store and ends with the session. */
const csrfOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url');
