import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { ROLES, type HeldRoles, type Role } from '../core/roles.ts';
import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import { sql, type Database, type DatabaseRow, type SqlStatement } from './database.ts';
import { integerColumn, integerOrNull, rowById, textColumn } from './rows.ts';

/** Somebody who may sign in to the console. */
export interface Person extends HeldRoles {
  id: string;
  name: string;
  created: number;
  /** Open sessions, and when the last of them was used. */
  sessions: number;
  seen: number | null;
  /** Whether they use a second factor beside their password. */
  hasFactor: boolean;
  /** When they were archived; they cannot sign in since then. */
  archived: number | null;
}

export interface People {
  list(): Promise<Person[]>;
  get(name: string): Promise<Person>;
  /**
   * Changes the role in the gateway or in a workspace; null takes it away. The last owner stays owner. Clients
   * of somebody who may no longer use a workspace end.
   */
  setRole(name: string, role: Role | null, workspace?: string): Promise<Person>;
  /** Ends somebody's sessions; clients that they signed in to go on. */
  endSessions(name: string): Promise<Person>;
  /** Removes somebody, with their sessions, their budgets and the clients that they signed in to. */
  remove(name: string): Promise<Person>;
}

const LIST = `SELECT a.id, a.name, a.role, a.factor, a.created, a.archived, count(s.hash) AS sessions, max(s.seen) AS seen
  FROM admins a LEFT JOIN sessions s ON s.admin = a.id AND s.seen >= ? AND s.created >= ?`;

/** Somebody is always left who can manage people; the condition is part of the change. */
const REMOVABLE = `name = ? AND (role <> 'owner'
  OR EXISTS (SELECT 1 FROM admins o WHERE o.role = 'owner' AND o.archived IS NULL AND o.name <> ?))`;

/** Changes of people wait for each other, or two owners could take each other's role away. */
const IN_TURN: SqlStatement = { sql: 'UPDATE health SET padding = padding' };

const USERS = "IN ('member', 'admin', 'owner')";

export function createPeople(database: Database, clock: Clock): People {
  const open = () => [clock.now() - LIMITS.sessionIdleMs, clock.now() - LIMITS.sessionMs] as const;
  const GROUPED = 'GROUP BY a.id, a.name, a.role, a.factor, a.created, a.archived';
  const get = async (name: string): Promise<Person> => {
    const [row] = await database.read(`${LIST} WHERE a.name = ? ${GROUPED}`, ...open(), name);
    if (row !== undefined) {
      const own = await database.read('SELECT * FROM workspace_roles WHERE admin = ?', textColumn(row, 'id'));
      return toPerson(row, own);
    }
    throw new HeadgateError('not_found', own`There is nobody called ${named(name)}.`, {
      remediation: 'List people with `headgate person list`.',
    });
  };
  return {
    get,
    list: async () => {
      const rows = await database.read(
        `${LIST} ${GROUPED} ORDER BY a.name LIMIT ?`,
        ...open(),
        LIMITS.storeRowsMax,
      );
      const roles = await database.read(
        'SELECT * FROM workspace_roles ORDER BY workspace LIMIT ?',
        LIMITS.exportRowsMax,
      );
      return rows.map((row) =>
        toPerson(
          row,
          roles.filter((one) => one['admin'] === row['id']),
        ),
      );
    },
    setRole: settingRole(database, clock, get),
    endSessions: async (name) => {
      const person = await get(name);
      await database.write([sql`DELETE FROM sessions WHERE admin = ${person.id}`]);
      return get(name);
    },
    remove: async (name) => {
      const person = await get(name);
      const ofThem = `admin IN (SELECT id FROM admins WHERE ${REMOVABLE})`;
      const [, , , , removed = []] = await database.write([
        IN_TURN,
        { sql: `DELETE FROM sessions WHERE ${ofThem}`, values: [name, name] },
        { sql: `DELETE FROM recovery_codes WHERE ${ofThem}`, values: [name, name] },
        { sql: `DELETE FROM workspace_roles WHERE ${ofThem}`, values: [name, name] },
        { sql: `DELETE FROM admins WHERE ${REMOVABLE} RETURNING id`, values: [name, name] },
        sql`DELETE FROM budgets WHERE level = 'person' AND subject = ${name}
            AND NOT EXISTS (SELECT 1 FROM admins WHERE name = ${name})`,
        sql`UPDATE api_keys SET revoked = ${clock.now()} WHERE person = ${name} AND revoked IS NULL
            AND NOT EXISTS (SELECT 1 FROM admins WHERE name = ${name})`,
      ]);
      if (removed.length === 0) throw lastOwner();
      return person;
    },
  };
}

function settingRole(
  database: Database,
  clock: Clock,
  get: (name: string) => Promise<Person>,
): People['setRole'] {
  return async (name, role, workspace) => {
    const { id } = await get(name);
    if (workspace !== undefined) {
      await rowById(database, 'workspaces', workspace, 'workspace');
      await database.write([inWorkspace(id, workspace, role), endClients(name, clock.now())]);
      return get(name);
    }
    const held = role ?? NO_ROLE;
    const [, changed = []] = await database.write([
      IN_TURN,
      {
        sql: `UPDATE admins SET role = ? WHERE ${REMOVABLE} OR (name = ? AND ? = 'owner') RETURNING id`,
        values: [held, name, name, name, held],
      },
      endClients(name, clock.now()),
    ]);
    if (changed.length === 0) throw lastOwner();
    return get(name);
  };
}

const lastOwner = (): HeadgateError =>
  new HeadgateError('invalid_request', 'The last owner cannot be removed or given another role.', {
    remediation: 'Make somebody else owner first.',
  });

const endClients = (name: string, now: number): SqlStatement => ({
  sql: `UPDATE api_keys SET revoked = ? WHERE person = ? AND client IS NOT NULL AND revoked IS NULL
        AND NOT EXISTS (SELECT 1 FROM admins a LEFT JOIN workspace_roles r
          ON r.admin = a.id AND r.workspace = api_keys.workspace
          WHERE a.name = ? AND (a.role ${USERS} OR r.role ${USERS}))`,
  values: [now, name, name],
});

const inWorkspace = (id: string, workspace: string, role: Role | null): SqlStatement =>
  role === null
    ? sql`DELETE FROM workspace_roles WHERE admin = ${id} AND workspace = ${workspace}`
    : sql`INSERT INTO workspace_roles (admin, workspace, role) VALUES (${id}, ${workspace}, ${role})
        ON CONFLICT (admin, workspace) DO UPDATE SET role = excluded.role`;

const toPerson = (row: DatabaseRow, roles: DatabaseRow[]): Person => ({
  id: textColumn(row, 'id'),
  name: textColumn(row, 'name'),
  role: roleOf(row),
  workspaces: roles.map((one) => ({
    workspace: textColumn(one, 'workspace'),
    role: roleOf(one) ?? 'viewer',
  })),
  created: integerColumn(row, 'created'),
  sessions: integerColumn(row, 'sessions'),
  seen: integerOrNull(row, 'seen'),
  hasFactor: row['factor'] !== null,
  archived: integerOrNull(row, 'archived'),
});

/** Stored for somebody who has roles in workspaces only. */
export const NO_ROLE = 'none';

/** The role in a row. A role of a later version gives the fewest rights. */
export const roleOf = (row: DatabaseRow): Role | null =>
  row['role'] === NO_ROLE ? null : (ROLES.find((role) => role === row['role']) ?? 'viewer');
