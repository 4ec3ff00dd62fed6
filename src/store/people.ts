import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { ROLES, type Role } from '../core/roles.ts';
import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database, DatabaseRow } from './database.ts';
import { integerColumn, integerOrNull, textColumn } from './rows.ts';

/** Somebody who may sign in to the console. */
export interface Person {
  id: string;
  name: string;
  role: Role;
  created: number;
  /** Open sessions, and when the last of them was used. */
  sessions: number;
  seen: number | null;
}

export interface People {
  list(): Promise<Person[]>;
  /** Changes a role. The last owner stays owner. */
  setRole(name: string, role: Role): Promise<Person>;
  /** Ends somebody's sessions; clients that they signed in to go on. */
  endSessions(name: string): Promise<Person>;
  /** Removes somebody, with their sessions and the clients that they signed in to. */
  remove(name: string): Promise<Person>;
}

const LIST = `SELECT a.id, a.name, a.role, a.created, count(s.hash) AS sessions, max(s.seen) AS seen
  FROM admins a LEFT JOIN sessions s ON s.admin = a.id AND s.seen >= ? AND s.created >= ?`;

/** Somebody is always left who can manage people; the condition is part of the change. */
const REMOVABLE = `name = ? AND (role <> 'owner'
  OR EXISTS (SELECT 1 FROM admins o WHERE o.role = 'owner' AND o.name <> ?))`;

export function createPeople(database: Database, clock: Clock): People {
  const open = () => [clock.now() - LIMITS.sessionIdleMs, clock.now() - LIMITS.sessionMs] as const;
  const get = async (name: string): Promise<Person> => {
    const end = 'WHERE a.name = ? GROUP BY a.id, a.name, a.role, a.created';
    const [row] = await database.read(`${LIST} ${end}`, ...open(), name);
    if (row !== undefined) return toPerson(row);
    throw new HeadgateError('not_found', own`There is nobody called ${named(name)}.`, {
      remediation: 'List people with `headgate person list`.',
    });
  };
  const lastOwner = (): HeadgateError =>
    new HeadgateError('invalid_request', 'The last owner cannot be removed or given another role.', {
      remediation: 'Make somebody else owner first.',
    });
  return {
    list: async () =>
      (
        await database.read(
          `${LIST} GROUP BY a.id, a.name, a.role, a.created ORDER BY a.name LIMIT ?`,
          ...open(),
          LIMITS.storeRowsMax,
        )
      ).map(toPerson),
    setRole: async (name, role) => {
      await get(name);
      const [changed = []] = await database.write([
        {
          sql: `UPDATE admins SET role = ? WHERE ${REMOVABLE} OR (name = ? AND ? = 'owner') RETURNING id`,
          values: [role, name, name, name, role],
        },
      ]);
      if (changed.length === 0) throw lastOwner();
      return get(name);
    },
    endSessions: async (name) => {
      const person = await get(name);
      await database.write([{ sql: 'DELETE FROM sessions WHERE admin = ?', values: [person.id] }]);
      return get(name);
    },
    remove: async (name) => {
      const person = await get(name);
      const [, removed = []] = await database.write([
        {
          sql: `DELETE FROM sessions WHERE admin IN (SELECT id FROM admins WHERE ${REMOVABLE})`,
          values: [name, name],
        },
        { sql: `DELETE FROM admins WHERE ${REMOVABLE} RETURNING id`, values: [name, name] },
        {
          sql: `UPDATE api_keys SET revoked = ? WHERE person = ? AND revoked IS NULL
                AND NOT EXISTS (SELECT 1 FROM admins WHERE name = ?)`,
          values: [clock.now(), name, name],
        },
      ]);
      if (removed.length === 0) throw lastOwner();
      return person;
    },
  };
}

const toPerson = (row: DatabaseRow): Person => ({
  id: textColumn(row, 'id'),
  name: textColumn(row, 'name'),
  role: roleOf(row),
  created: integerColumn(row, 'created'),
  sessions: integerColumn(row, 'sessions'),
  seen: integerOrNull(row, 'seen'),
});

/** The role in a row. A role of a later version gives the fewest rights. */
export const roleOf = (row: DatabaseRow): Role => ROLES.find((role) => role === row['role']) ?? 'viewer';
