import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import type { Role } from '../../core/roles.ts';
import { LIMITS } from '../../core/limits.ts';
import { HOUR_MS } from '../../core/window.ts';
import type { Admin } from '../../store/sessions.ts';
import { requireRole, type AdminGate } from '../admin/mount.ts';
import { keyOf } from '../door/credentials.ts';
import { createGuessDelay } from '../door/guess-delay.ts';
import type { GatewayContext } from '../door/context.ts';
import { isSecure, readSessionCookie, writeSessionCookie } from './cookie.ts';
import { checkSameOrigin } from './same-origin.ts';

/** A signed-in admin, and the CSRF token that writes must carry. */
export interface SignedIn {
  admin: Admin;
  csrf: string;
}

interface FactorDoor {
  door: ReturnType<typeof createDoor>;
  verify(context: Context, name: string, password: string): Promise<Admin>;
  proveFactor(context: Context, admin: Admin, code: string | undefined): Promise<void>;
  note(context: Context, actor: string, action: string): Promise<void>;
}

interface FactorProof {
  password: string;
  code: string;
}

export interface ConsoleAuth {
  /** The signed-in admin, if any. */
  who(context: Context): Promise<SignedIn | undefined>;
  /**
   * Throws unless somebody with this role in the gateway is signed in and, for a write, the request comes from
   * the console. Without a role, everybody who is signed in may; somebody who has yet to set up a second factor
   * only with `evenLimited`.
   */
  require(context: Context, role?: Role, evenLimited?: boolean): Promise<SignedIn>;
  /**
   * Checks name, password and, for those who use one, the second factor, and opens a session. Failures are
   * delayed, by name and by address.
   */
  signIn(
    context: Context,
    shown: { name: string; password: string; code?: string | undefined },
  ): Promise<SignedIn>;
  /** Opens a session for somebody whom the identity provider vouches for. */
  admit(context: Context, person: Pick<Admin, 'id' | 'name'>): Promise<void>;
  signOut(context: Context): Promise<void>;
  /** Undefined when the person has yet to sign in, with their second factor. */
  setUp(
    context: Context,
    input: { token: string; name: string; password: string },
  ): Promise<SignedIn | undefined>;
  /** Switches the second factor on, and returns the recovery codes. */
  enableFactor(context: Context, shown: FactorProof & { secret: string }): Promise<{ codes: string[] }>;
  disableFactor(context: Context, shown: FactorProof): Promise<void>;
  changePassword(context: Context, passwords: { old: string; new: string }): Promise<SignedIn>;
  /** Opens the admin API to signed-in admins; requests with a key or token use the other gate. */
  gate(other: AdminGate): AdminGate;
}

export function createConsoleAuth(gateway: GatewayContext): ConsoleAuth {
  const { sessions } = gateway.store;
  const { passwords: arePasswordsOn } = gateway.services.config.auth;
  const checked = createPasswordCheck(gateway);
  const door = createDoor(gateway);
  const note = (context: Context, actor: string, action: string): Promise<void> => {
    const bounded = actor.slice(0, LIMITS.meterNameCharsMax);
    return sessions.note({ actor: bounded, address: gateway.addressOf(context), action });
  };
  const verify = async (context: Context, name: string, password: string): Promise<Admin> => {
    if (!arePasswordsOn)
      throw new HeadgateError('forbidden', 'Passwords are switched off on this gateway.', {
        remediation: 'Sign in through the identity provider.',
      });
    const admin = await checked(context, name, () => sessions.verify(name, password));
    if (admin !== undefined) return admin;
    await note(context, name, 'sign-in refused');
    throw new HeadgateError('sign_in_refused', 'Wrong name or password.');
  };
  const verifyCode = createCodeCheck(gateway, checked);
  const proveFactor = async (context: Context, admin: Admin, code: string | undefined): Promise<void> => {
    if (code === undefined)
      throw new HeadgateError('second_factor_needed', 'A code of your authenticator app is needed.');
    if (await verifyCode(context, admin, code)) return;
    await note(context, admin.name, 'second factor refused');
    throw wrongCode();
  };
  const { second_factor: policy } = gateway.services.config.auth;
  const limited = (admin: Admin): Admin =>
    policy === 'required' && !admin.hasFactor ? { ...admin, isLimited: true } : admin;
  return {
    who: door.who,
    require: door.require,
    signIn: async (context, { name, password, code }) => {
      checkSameOrigin(context);
      const admin = await verify(context, name, password);
      if (admin.hasFactor) await proveFactor(context, admin, code);
      await note(context, admin.name, 'signed in');
      return door.open(context, limited(admin));
    },
    ...createFactorSetting(gateway, { door, verify, proveFactor, note }),
    admit: async (context, person) => {
      await note(context, person.name, 'signed in through the identity provider');
      await door.open(context, person);
    },
    signOut: async (context) => {
      const { admin } = await door.require(context, undefined, true);
      await door.close(context);
      await note(context, admin.name, 'signed out');
    },
    setUp: async (context, input) => {
      checkSameOrigin(context);
      const admin = await checked(context, 'setup', () =>
        sessions.setUp({ ...input, onlyRescue: !arePasswordsOn }),
      );
      if (admin === undefined) throw linkIsOver();
      await note(context, admin.name, 'set a password with a setup link');
      // A link replaces the password, not the second factor.
      return admin.hasFactor ? undefined : door.open(context, limited(admin));
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
      const { admin } = await door.require(context);
      return { name: `console: ${admin.name}`, roles: admin };
    },
  };
}

/** Switching the second factor on and off, with the password and a code. */
function createFactorSetting(
  { store: { factors } }: GatewayContext,
  { door, verify, proveFactor, note }: FactorDoor,
): Pick<ConsoleAuth, 'enableFactor' | 'disableFactor'> {
  return {
    enableFactor: async (context, { password, secret, code }) => {
      const { admin } = await door.require(context, undefined, true);
      await verify(context, admin.name, password);
      if (admin.hasFactor) throw new HeadgateError('conflict', 'A second factor is set up already.');
      const codes = await factors.enable(admin.id, secret, code);
      if (codes === undefined) throw wrongCode();
      await note(context, admin.name, 'set up a second factor');
      return { codes };
    },
    disableFactor: async (context, { password, code }) => {
      const { admin } = await door.require(context);
      await verify(context, admin.name, password);
      await proveFactor(context, admin, code);
      await factors.reset(admin.name);
      await note(context, admin.name, 'switched their second factor off');
    },
  };
}

/** Sessions in cookies. */
function createDoor({ store: { sessions }, services }: GatewayContext) {
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
    require: async (context: Context, role?: Role, evenLimited = false): Promise<SignedIn> => {
      const isReading = context.req.method === 'GET';
      if (!isReading) checkSameOrigin(context);
      const signedIn = await who(context);
      if (signedIn === undefined) throw new HeadgateError('unauthenticated', 'Sign in to the console.');
      if (!isReading) checkCsrf(context, signedIn.csrf);
      if (signedIn.admin.isLimited === true && !evenLimited)
        throw new HeadgateError('forbidden', 'Set up a second factor first.', {
          remediation: 'Open the console and follow the page there.',
        });
      if (role !== undefined) requireRole(signedIn.admin.role, role);
      return signedIn;
    },
    open: async <Who extends Pick<Admin, 'id'>>(context: Context, admin: Who) => {
      const token = await sessions.open(admin);
      writeSessionCookie(context, token, secureOf(context));
      return { admin, csrf: csrfOf(token) };
    },
    close: async (context: Context): Promise<void> => {
      await sessions.close(tokenOf(context) ?? '');
      writeSessionCookie(context, undefined, secureOf(context));
    },
  };
}

/**
 * Password checks are expensive on purpose, so they run one at a time with a bounded queue. Only the response
 * to a wrong password is delayed; a correct one is never refused because of earlier failures.
 */
function createPasswordCheck({ services, addressOf }: GatewayContext) {
  const guesses = createGuessDelay(services.clock);
  const waiting = new Map<string, number>();
  let total = 0;
  let last: Promise<unknown> = Promise.resolve();
  const enter = (address: string, change: 1 | -1): void => {
    const here = (waiting.get(address) ?? 0) + change;
    total += change;
    if (here === 0) waiting.delete(address);
    else waiting.set(address, here);
  };
  const inTurn = async <Value>(address: string, check: () => Promise<Value>): Promise<Value> => {
    const here = waiting.get(address) ?? 0;
    if (total >= LIMITS.passwordChecksMax || here >= LIMITS.passwordChecksPerAddress)
      throw new HeadgateError('rate_limited', 'Too many sign-ins at once.', { retryAfterMs: 1_000 });
    enter(address, 1);
    const done = last.then(check).finally(() => enter(address, -1));
    last = done.catch(() => undefined);
    return done;
  };
  /** `check` returns undefined for a wrong secret. */
  return async <Value>(
    context: Context,
    name: string,
    check: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> => {
    const address = addressOf(context);
    const names = [`address ${address}`, `name ${name}`];
    const value = await inTurn(address, check);
    if (value === undefined) await guesses.wrong(names, context.req.raw.signal);
    else guesses.right(names);
    return value;
  };
}

/** Wrong codes are counted apart from passwords, or each right password would forgive them. */
function createCodeCheck(
  { services, store }: GatewayContext,
  checked: ReturnType<typeof createPasswordCheck>,
) {
  const guesses = { requests: LIMITS.factorGuessesPerHour, perMs: HOUR_MS };
  const use = async ({ id }: Admin, code: string): Promise<true | undefined> => {
    const refused = await services.shared.take(`code ${id}`, guesses, true);
    if (refused !== undefined) throw new HeadgateError('rate_limited', 'Too many wrong codes.', refused);
    if (await store.factors.use(id, code)) return true;
    await services.shared.take(`code ${id}`, guesses);
    return undefined;
  };
  return async (context: Context, admin: Admin, code: string): Promise<boolean> =>
    (await checked(context, `code ${admin.id}`, () => use(admin, code))) === true;
}

const wrongCode = (): HeadgateError =>
  new HeadgateError('sign_in_refused', 'Wrong code, or one that was used before.', {
    remediation: 'Wait for the next code of the app, or use a recovery code.',
  });

const linkIsOver = (): HeadgateError =>
  new HeadgateError('forbidden', 'This setup link was used or has expired.', {
    remediation: 'Run `headgate console` for a new one.',
  });

function checkCsrf(context: Context, csrf: string): void {
  const given = Buffer.from(context.req.header('x-csrf-token') ?? '');
  const wanted = Buffer.from(csrf);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new HeadgateError('forbidden', 'The request has no valid CSRF token.', {
    remediation: 'Reload the page.',
  });
}

/** Derived from the session token, so it needs no storage and expires with the session. */
const csrfOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url');
