import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { sql, type Database, type DatabaseRow } from './database.ts';
import { hashOfToken } from './key-format.ts';
import { hashPassword, isPassword, PASSWORD_COST } from './password.ts';
import type { HeldRoles, Role } from '../core/roles.ts';
import { NO_ROLE, roleOf } from './people.ts';
import { checkedName, integerColumn, newId, rowById, textColumn, textOrNull } from './rows.ts';

/** A person who may sign in to the console. */
export interface Admin extends HeldRoles {
  id: string;
  name: string;
  /** Whether they use a second factor beside their password. */
  hasFactor: boolean;
  /** Whether this session may only set up a second factor. */
  isLimited?: boolean;
}

/** Somebody who is invited, into the gateway or into one workspace. */
export interface Invitation {
  name: string;
  role: Role;
  workspace?: string | undefined;
}

/** An entry of the audit log: one change, and who made it. */
export interface AuditEntry {
  seq: number;
  at: number;
  actor: string;
  address: string;
  /** In words. */
  action: string;
  /** The kind of change and what it was about, for other languages; absent for plain words. */
  did?: string;
  fields?: Record<string, string>;
}

/** Console users, their sessions and the audit log. Tokens are stored as hashes only. */
export interface Sessions {
  /** Whether any user was ever created. */
  anyAdmin(): Promise<boolean>;
  /**
   * Creates a one-time token with which a person can choose a password: anybody, as an owner, or somebody who
   * is invited. Earlier tokens for the same become invalid. An invitation into a workspace is only for somebody
   * new, because those who may give it must not be able to set anybody's password.
   */
  createSetupToken(invited?: Invitation): Promise<string>;
  /**
   * Consumes a token: creates the user, or sets a new password for the user of that name and ends their
   * sessions. Undefined when the token was used or has expired. With `onlyRescue`, an invitation does not
   * count: only a link that was made on the machine itself.
   */
  setUp(input: {
    token: string;
    name: string;
    password: string;
    onlyRescue?: boolean;
  }): Promise<Admin | undefined>;
  /** The user, or undefined when name or password is wrong. */
  verify(name: string, password: string): Promise<Admin | undefined>;
  /** Opens a session; a limited one may only set up a second factor. This is the only time that its token is returned. */
  open(admin: Pick<Admin, 'id' | 'isLimited'>): Promise<string>;
  /** The user of a session token; undefined when it is unknown, idle for too long or too old. */
  find(token: string): Promise<Admin | undefined>;
  close(token: string): Promise<void>;
  /** Sets a new password and ends every session of this user. */
  changePassword(admin: Admin, password: string): Promise<void>;
  note(entry: Omit<AuditEntry, 'seq' | 'at'>): Promise<void>;
  /** Newest first. */
  audit(limit: number): Promise<AuditEntry[]>;
}

export function createSessions(database: Database, clock: Clock, passwordCost = PASSWORD_COST): Sessions {
  return {
    ...people(database, clock, passwordCost),
    ...invitations(database, clock, passwordCost),
    ...tokens(database, clock),
    ...auditing(database, clock),
  };
}

function people(
  database: Database,
  clock: Clock,
  cost: number,
): Pick<Sessions, 'anyAdmin' | 'verify' | 'changePassword'> {
  return {
    anyAdmin: async () => (await database.read('SELECT id FROM admins LIMIT 1')).length > 0,
    verify: async (name, password) => {
      const rows = await byName(database, name);
      const [row] = rows;
      // Somebody who is archived takes as long as a wrong password.
      const kept = row === undefined || row['archived'] !== null ? undefined : textColumn(row, 'password');
      return (await isPassword(password, kept, cost)) ? toAdmin(rows) : undefined;
    },
    changePassword: async ({ id }, password) => {
      checkPassword(password);
      const change = 'UPDATE admins SET password = ?, changed = ? WHERE id = ?';
      await database.write([
        { sql: change, values: [await hashPassword(password, cost), clock.now(), id] },
        sql`DELETE FROM sessions WHERE admin = ${id}`,
      ]);
    },
  };
}

function invitations(
  database: Database,
  clock: Clock,
  cost: number,
): Pick<Sessions, 'createSetupToken' | 'setUp'> {
  return {
    createSetupToken: async (invited) => {
      const token = randomBytes(32).toString('base64url');
      const person = invited === undefined ? null : checkedName(invited.name, 'name');
      const workspace = invited?.workspace ?? null;
      if (workspace !== null) {
        await rowById(database, 'workspaces', workspace, 'workspace');
        if ((await byName(database, person ?? '')).length > 0) throw isTaken();
      }
      await database.write([
        sql`DELETE FROM setup_links WHERE expires <= ${clock.now()}
            OR (coalesce(person, '') = ${person ?? ''} AND coalesce(workspace, '') = ${workspace ?? ''})`,
        sql`INSERT INTO setup_links (hash, expires, person, role, workspace)
            VALUES (${hashOfToken(token)}, ${clock.now() + LIMITS.setupLinkMs}, ${person},
            ${invited?.role ?? 'owner'}, ${workspace})`,
      ]);
      return token;
    },
    setUp: async ({ token, name, password, onlyRescue = false }) => {
      const checked = checkedName(name, 'name');
      checkPassword(password);
      const kept = await hashPassword(password, cost);
      // Deleting consumes the token: of two who use it at once, only one finds it.
      const [used = []] = await database.write([
        {
          sql: `DELETE FROM setup_links WHERE hash = ? AND expires > ? AND coalesce(person, ?) = ?
                ${onlyRescue ? 'AND person IS NULL' : ''} RETURNING hash, role, workspace`,
          values: [hashOfToken(token), clock.now(), checked, checked],
        },
      ]);
      const [link] = used;
      if (link === undefined) return undefined;
      const id = newId('admin', clock.now());
      const workspace = textOrNull(link, 'workspace');
      const insert =
        'INSERT INTO admins (id, name, password, created, changed, role) VALUES (?, ?, ?, ?, ?, ?)';
      const values = [id, checked, kept, clock.now(), clock.now()];
      if (workspace !== null) {
        const [made = []] = await database.write([
          {
            sql: `${insert} ON CONFLICT (name) DO NOTHING RETURNING id`,
            values: [...values, NO_ROLE],
          },
          sql`INSERT INTO workspace_roles (admin, workspace, role) SELECT a.id, ${workspace},
              ${roleOf(link) ?? 'viewer'} FROM admins a WHERE a.id = ${id}`,
        ]);
        return made.length === 0 ? undefined : toAdmin(await byName(database, checked));
      }
      await database.write([
        {
          sql: `${insert}
                ON CONFLICT (name) DO UPDATE SET password = excluded.password, changed = excluded.changed`,
          values: [...values, roleOf(link) ?? NO_ROLE],
        },
        sql`DELETE FROM sessions WHERE admin IN (SELECT id FROM admins WHERE name = ${checked})`,
      ]);
      return toAdmin(await byName(database, checked));
    },
  };
}

function tokens(database: Database, clock: Clock): Pick<Sessions, 'open' | 'find' | 'close'> {
  return {
    open: async ({ id, isLimited = false }) => {
      const token = randomBytes(32).toString('base64url');
      const now = clock.now();
      await database.write([
        sql`DELETE FROM sessions WHERE seen < ${now - LIMITS.sessionIdleMs}
            OR created < ${now - LIMITS.sessionMs}`,
        sql`INSERT INTO sessions (hash, admin, created, seen, limited)
            VALUES (${hashOfToken(token)}, ${id}, ${now}, ${now}, ${isLimited ? 1 : 0})`,
      ]);
      return token;
    },
    find: async (token) => {
      const now = clock.now();
      const rows = await database.read(
        `SELECT ${ADMIN}, s.hash, s.seen, s.limited FROM ${ADMINS} JOIN sessions s ON s.admin = a.id
         WHERE s.hash = ? AND s.seen >= ? AND s.created >= ? AND a.archived IS NULL`,
        hashOfToken(token),
        now - LIMITS.sessionIdleMs,
        now - LIMITS.sessionMs,
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      // Written once a minute, not at every request.
      if (now - integerColumn(row, 'seen') > LIMITS.sessionSeenMs)
        await database.write([
          sql`UPDATE sessions SET seen = ${now} WHERE hash = ${textColumn(row, 'hash')}`,
        ]);
      return toAdmin(rows);
    },
    close: async (token) => {
      await database.write([sql`DELETE FROM sessions WHERE hash = ${hashOfToken(token)}`]);
    },
  };
}

function auditing(database: Database, clock: Clock): Pick<Sessions, 'note' | 'audit'> {
  return {
    note: async ({ actor, address, action, did, fields }) => {
      await database.write([
        sql`INSERT INTO audit (at, actor, address, action, did, fields)
            VALUES (${clock.now()}, ${actor}, ${address}, ${action}, ${did ?? null},
            ${JSON.stringify(fields ?? {})})`,
      ]);
    },
    audit: async (limit) => {
      const rows = await database.read('SELECT * FROM audit ORDER BY seq DESC LIMIT ?', limit);
      return rows.map((row) => ({
        ...toDeed(row),
        seq: integerColumn(row, 'seq'),
        at: integerColumn(row, 'at'),
        actor: textColumn(row, 'actor'),
        address: textColumn(row, 'address'),
        action: textColumn(row, 'action'),
      }));
    },
  };
}

function toDeed(row: DatabaseRow): Pick<AuditEntry, 'did' | 'fields'> {
  const did = textOrNull(row, 'did');
  if (did === null) return {};
  return { did, fields: JSON.parse(textOrNull(row, 'fields') ?? '{}') as Record<string, string> };
}

function checkPassword(password: string): void {
  const { passwordCharsMin: min, passwordCharsMax: max } = LIMITS;
  if (password.length >= min && password.length <= max) return;
  throw new HeadgateError('invalid_request', `password: ${min} to ${max} characters.`);
}

const isTaken = (): HeadgateError =>
  new HeadgateError('conflict', 'Somebody of this name can already sign in.', {
    remediation: 'Give them a role in the workspace instead.',
  });

/** Somebody, with one row for each workspace in which they have a role. */
const ADMIN = 'a.id, a.name, a.role, a.factor, r.workspace, r.role AS workspace_role';
const ADMINS = 'admins a LEFT JOIN workspace_roles r ON r.admin = a.id';

const byName = (database: Database, name: string): Promise<DatabaseRow[]> =>
  database.read(`SELECT ${ADMIN}, a.password, a.archived FROM ${ADMINS} WHERE a.name = ?`, name);

function toAdmin(rows: DatabaseRow[]): Admin | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  const workspaces = rows.flatMap((one) => {
    const workspace = textOrNull(one, 'workspace');
    return workspace === null
      ? []
      : { workspace, role: roleOf({ role: one['workspace_role'] ?? '' }) ?? 'viewer' };
  });
  return {
    id: textColumn(row, 'id'),
    name: textColumn(row, 'name'),
    role: roleOf(row),
    workspaces,
    hasFactor: row['factor'] !== null,
    ...(Number(row['limited'] ?? 0) === 1 ? { isLimited: true } : {}),
  };
}
