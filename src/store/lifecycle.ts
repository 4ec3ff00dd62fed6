import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { formatUsd, type Millionths } from '../core/money.ts';
import { named, own } from '../core/own-text.ts';
import { sql, type Database, type DatabaseRow, type SqlStatement, type SqlValue } from './database.ts';
import type { People } from './people.ts';
import { checkedName, integerColumn, integerOrNull, textColumn, textOrNull } from './rows.ts';

export const LIFE_KINDS = ['workspace', 'agent', 'key', 'person'] as const;
export type LifeKind = (typeof LIFE_KINDS)[number];

/** Something that can be renamed, archived and deleted. */
export interface LifeSubject {
  kind: LifeKind;
  /** The ID; the name of a person. */
  id: string;
  name: string;
  /** The workspace that it is, or belongs to; null for people. */
  workspace: string | null;
  /** When it was archived; null while it is in use. */
  archived: number | null;
}

/** What depends on something, and whether it can be deleted. */
export interface Dependents extends LifeSubject {
  /** How many of each kind; counting stops at 10,000. */
  counts: Record<string, number>;
  /** The balance that nothing else could use any more. */
  balance: Millionths;
  /**
   * Why it can only be archived: bookings refer to it, and they are kept; or it has the last keys, and a gateway
   * without keys serves everybody on its machine.
   */
  obstacle: 'bookings' | 'last-keys' | null;
}

/** Renames, archives and deletes workspaces, agents, keys and people. */
export interface Lifecycle {
  dependents(kind: LifeKind, id: string): Promise<Dependents>;
  /** The new name of a person is that of their keys and budgets, too; the history keeps the old one. */
  rename(kind: LifeKind, id: string, name: string): Promise<LifeSubject & { before: string }>;
  /** Refuses calls of it until it is restored. Nothing of it is lost. */
  archive(kind: LifeKind, id: string, isArchived?: boolean): Promise<LifeSubject>;
  /** Deletes what no booking refers to, with everything that belongs to it. */
  remove(kind: Exclude<LifeKind, 'person'>, id: string): Promise<LifeSubject>;
}

interface Place {
  table: string;
  /** The column that it is found by, and that of its name. */
  id: string;
  name: string;
  /** Counted rows: `?` is the ID. */
  counted: Record<string, string>;
  /** Rows that are deleted with it, in order. `$` is the ID of what is being deleted. */
  belonging: string[];
  /** The column by which keys belong to it. */
  keys?: string;
}

const budgetsOf = (level: LifeKind) => `budgets WHERE level = '${level}' AND subject`;
const PLACES: Record<LifeKind, Place> = {
  workspace: {
    table: 'workspaces',
    keys: 'workspace',
    id: 'id',
    name: 'name',
    counted: {
      agents: 'agents WHERE workspace',
      keys: 'api_keys WHERE revoked IS NULL AND workspace',
      people: 'workspace_roles WHERE workspace',
      budgets: 'budgets WHERE workspace',
      webhooks: 'webhooks WHERE workspace',
      research: 'research_sessions WHERE workspace',
      calls: 'calls WHERE workspace',
    },
    belonging: [
      'oauth_tokens WHERE api_key IN (SELECT id FROM api_keys WHERE workspace IN $)',
      'deliveries WHERE webhook IN (SELECT id FROM webhooks WHERE workspace IN $)',
      ...[
        'webhooks',
        'api_keys',
        'budgets',
        'policies',
        'approvals',
        'workspace_roles',
        'setup_links',
        'research_sessions',
        'agents',
      ].map((table) => `${table} WHERE workspace IN $`),
    ],
  },
  agent: {
    table: 'agents',
    keys: 'agent',
    id: 'id',
    name: 'name',
    counted: {
      keys: 'api_keys WHERE revoked IS NULL AND agent',
      budgets: budgetsOf('agent'),
      calls: 'calls WHERE agent',
    },
    // A key without its agent would have more rights than before.
    belonging: [
      'oauth_tokens WHERE api_key IN (SELECT id FROM api_keys WHERE agent IN $)',
      "budgets WHERE level = 'key' AND subject IN (SELECT id FROM api_keys WHERE agent IN $)",
      'api_keys WHERE agent IN $',
      `${budgetsOf('agent')} IN $`,
      'policies WHERE id IN $',
    ],
  },
  key: {
    table: 'api_keys',
    keys: 'id',
    id: 'id',
    name: 'label',
    counted: { budgets: budgetsOf('key'), calls: 'calls WHERE key' },
    belonging: ['oauth_tokens WHERE api_key IN $', `${budgetsOf('key')} IN $`],
  },
  person: {
    table: 'admins',
    id: 'name',
    name: 'name',
    counted: {
      keys: 'api_keys WHERE revoked IS NULL AND person',
      budgets: budgetsOf('person'),
      calls: 'calls WHERE person',
    },
    belonging: [],
  },
};

/** While a row is deleted. */
const GOING = -1;

export function createLifecycle(database: Database, clock: Clock): Lifecycle {
  const find = async (kind: LifeKind, id: string): Promise<DatabaseRow> => {
    const place = PLACES[kind];
    const [row] = await database.read(`SELECT * FROM ${place.table} WHERE ${place.id} = ?`, id);
    if (row !== undefined) return row;
    throw new HeadgateError('not_found', own`There is no ${named(kind)} ${named(id)}.`, {
      remediation: own`List them with \`headgate ${named(kind)} list\`.`,
    });
  };
  const get = async (kind: LifeKind, id: string) => toSubject(kind, await find(kind, id));
  return {
    dependents: (kind, id) => dependentsOf(database, kind, id, get),
    rename: async (kind, id, name) => {
      const { table, id: idColumn, name: column } = PLACES[kind];
      const before = await get(kind, id);
      const wanted = checkedName(name, column);
      await database.write([
        {
          sql: `UPDATE ${table} SET ${column} = ? WHERE ${idColumn} = ? ${
            kind === 'person' ? 'AND NOT EXISTS (SELECT 1 FROM admins WHERE name = ?)' : ''
          }`,
          values: [wanted, id, ...(kind === 'person' ? [wanted] : [])],
        },
        ...(kind === 'person' ? personRenames(id, wanted) : []),
      ]);
      const now = kind === 'person' ? wanted : id;
      const renamed = await get(kind, now);
      if (kind === 'person' && wanted !== id && (await database.read(NAMED, id)).length > 0)
        throw taken(wanted);
      return { ...renamed, before: before.name };
    },
    archive: async (kind, id, isArchived = true) => {
      const { table, id: idColumn } = PLACES[kind];
      await find(kind, id);
      const isPerson = kind === 'person' && isArchived;
      const [, changed = []] = await database.write([
        IN_TURN,
        {
          sql: `UPDATE ${table} SET archived = ${isArchived ? 'coalesce(archived, ?)' : '?'}
                WHERE ${idColumn} = ? ${isPerson ? OTHER_OWNER : ''} RETURNING ${idColumn}`,
          values: [isArchived ? clock.now() : null, id, ...(isPerson ? [id] : [])],
        },
      ]);
      if (changed.length > 0) return get(kind, id);
      throw new HeadgateError('invalid_request', 'The last owner cannot be archived.', {
        remediation: 'Make somebody else owner first.',
      });
    },
    remove: async (kind, id) => {
      const subject = await get(kind, id);
      const [account] = await database.read(
        'SELECT subscription FROM workspaces WHERE id = ?',
        subject.workspace,
      );
      const subscription = account === undefined ? '' : textColumn(account, 'subscription');
      const { table, belonging } = PLACES[kind];
      const going = `(SELECT id FROM ${table} WHERE id = ? AND archived = ${GOING})`;
      const conditions = [
        keysRemain(kind, id),
        ...bookingsOf(kind, id, subscription).map(({ from, values }) => ({
          sql: `NOT EXISTS (SELECT 1 FROM ${from})`,
          values,
        })),
      ];
      const results = await database.write([
        // Bookings wait for the account, so that none is written between the condition and the end.
        sql`UPDATE subscriptions SET name = name WHERE id = ${subscription}`,
        {
          sql: `UPDATE ${table} SET archived = ${GOING} WHERE id = ? AND ${conditions.map(({ sql }) => sql).join(' AND ')}`,
          values: [id, ...conditions.flatMap(({ values }) => values)],
        },
        ...belonging.map((from) => ({ sql: `DELETE FROM ${from.replace('$', going)}`, values: [id] })),
        { sql: `DELETE FROM ${table} WHERE id = ? AND archived = ${GOING} RETURNING id`, values: [id] },
        ...(kind === 'workspace' ? emptyAccount(subscription) : []),
      ]);
      if ((results[2 + belonging.length] ?? []).length === 0)
        throw unconfirmed(await dependentsOf(database, kind, id, get), '');
      return subject;
    },
  };
}

/** Deletes anything; people are removed as people. */
export async function removeSubject(
  store: { life: Lifecycle; people: People },
  kind: LifeKind,
  id: string,
): Promise<LifeSubject> {
  if (kind !== 'person') return store.life.remove(kind, id);
  const { name, archived } = await store.people.remove(id);
  return { kind, id: name, name, workspace: null, archived };
}

const NAMED = 'SELECT 1 FROM admins WHERE name = ?';
/** Changes of people wait for each other. */
const IN_TURN: SqlStatement = { sql: 'UPDATE health SET padding = padding' };
const OTHER_OWNER = `AND (role <> 'owner' OR EXISTS
  (SELECT 1 FROM admins o WHERE o.role = 'owner' AND o.archived IS NULL AND o.name <> ?))`;

/** What names a person, where the person has the new name by now and nobody the old one. */
const personRenames = (before: string, now: string): SqlStatement[] =>
  [
    'UPDATE api_keys SET person = ? WHERE person = ?',
    "UPDATE budgets SET subject = ? WHERE level = 'person' AND subject = ?",
  ].map((sql) => ({
    sql: `${sql} AND NOT EXISTS (${NAMED})`,
    values: [now, before, before],
  }));

/** A subscription ends with its last workspace, if nothing was ever booked on it. */
const emptyAccount = (subscription: string): SqlStatement[] =>
  ['request_buckets WHERE subscription', 'subscriptions WHERE id'].map((from) => ({
    sql: `DELETE FROM ${from} = ? AND NOT EXISTS (SELECT 1 FROM workspaces WHERE subscription = ?)
          AND NOT EXISTS (SELECT 1 FROM ledger WHERE subscription = ?)
          AND NOT EXISTS (SELECT 1 FROM holds WHERE subscription = ?)`,
    values: Array<string>(4).fill(subscription),
  }));

/** Whether keys are left without those that belong to something; true when it has none. */
function keysRemain(kind: LifeKind, id: string): { sql: string; values: SqlValue[] } {
  const column = PLACES[kind].keys;
  if (column === undefined) return { sql: '1 = 1', values: [] };
  return {
    sql: `(NOT EXISTS (SELECT 1 FROM api_keys WHERE ${column} = ?)
      OR EXISTS (SELECT 1 FROM api_keys WHERE coalesce(${column}, '') <> ?))`,
    values: [id, id],
  };
}

/** The bookings that refer to something. Agents that delegate are booked as `first/second`. */
function bookingsOf(
  kind: LifeKind,
  id: string,
  subscription: string,
): { from: string; values: SqlValue[] }[] {
  if (kind === 'person') return [];
  const [where, values] =
    kind === 'agent' ? ["'/' || agent || '/' LIKE ?", [`%/${id}/%`]] : [`${kind} = ?`, [id]];
  const own = ['ledger', 'holds'].map((table) => ({
    from: `${table} WHERE subscription = ? AND ${where}`,
    values: [subscription, ...values],
  }));
  if (kind !== 'workspace') return own;
  // The money of a subscription goes with its last workspace.
  const last = `ledger WHERE subscription = ? AND workspace IS NULL
    AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.subscription = ? AND w.id <> ?)`;
  return [...own, { from: last, values: [subscription, subscription, id] }];
}

async function dependentsOf(
  database: Database,
  kind: LifeKind,
  id: string,
  get: (kind: LifeKind, id: string) => Promise<LifeSubject>,
): Promise<Dependents> {
  const subject = await get(kind, id);
  const count = async (from: string, values: SqlValue[]): Promise<number> => {
    const counted = `SELECT count(*) AS rows FROM (SELECT 1 AS one FROM ${from} LIMIT ?) AS counted`;
    const [row] = await database.read(counted, ...values, LIMITS.dependentsMax);
    return row === undefined ? 0 : integerColumn(row, 'rows');
  };
  const [account] = await database.read(
    `SELECT s.id, s.balance, (SELECT count(*) FROM workspaces o WHERE o.subscription = s.id) AS workspaces
     FROM workspaces w JOIN subscriptions s ON s.id = w.subscription WHERE w.id = ?`,
    subject.workspace ?? '',
  );
  const subscription = account === undefined ? '' : textColumn(account, 'id');
  const counts: Record<string, number> = {};
  for (const [name, from] of Object.entries(PLACES[kind].counted))
    counts[name] = await count(`${from} = ?`, [id]);
  let bookings = 0;
  for (const { from, values } of bookingsOf(kind, id, subscription)) bookings += await count(from, values);
  const isLast = kind === 'workspace' && account !== undefined && integerColumn(account, 'workspaces') === 1;
  const remaining = keysRemain(kind, id);
  const hasOthers = (await database.read(`SELECT 1 WHERE ${remaining.sql}`, ...remaining.values)).length > 0;
  return {
    ...subject,
    counts: { ...counts, bookings },
    balance: isLast ? integerColumn(account, 'balance') : 0,
    obstacle: bookings > 0 ? 'bookings' : hasOthers ? null : 'last-keys',
  };
}

/** What depends on something, as a sentence. */
export function dependentsText({ name, id, counts, balance, obstacle, kind }: Dependents): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what} ${count}${count >= LIMITS.dependentsMax ? ' or more' : ''}`);
  if (balance !== 0) parts.push(`balance ${formatUsd(balance)}`);
  const on = parts.length === 0 ? 'Nothing depends on it.' : `Depends on it: ${parts.join(', ')}.`;
  const kept =
    obstacle === null
      ? ''
      : obstacle === 'bookings'
        ? ' Its bookings are kept, so it can be archived but not deleted.'
        : ' Without its keys there would be none, and a gateway without keys serves everybody on its machine.';
  return `${kind} ${name}${name === id ? '' : ` (${id})`}. ${on}${kept}`;
}

/** Refuses a deletion that was not confirmed, and says what depends on it. */
export const unconfirmed = (dependents: Dependents, how: string): HeadgateError =>
  new HeadgateError('conflict', named(dependentsText(dependents)), {
    remediation:
      dependents.obstacle === null ? own`To delete all of this, ${named(how)}.` : archiveIt(dependents),
  });

const archiveIt = ({ kind, id }: LifeSubject) =>
  own`Archive it instead: \`headgate ${named(kind)} archive ${named(id)}\`.`;

const taken = (name: string): HeadgateError =>
  new HeadgateError('conflict', own`There is already somebody called ${named(name)}.`);

/** Refuses a call of something that is archived. */
export const archivedRefusal = (what: LifeKind): HeadgateError =>
  new HeadgateError('forbidden', own`The ${named(what)} of this call is archived.`, {
    remediation: 'Use another one, or ask the operator of this gateway to restore it.',
  });

const toSubject = (kind: LifeKind, row: DatabaseRow): LifeSubject => ({
  kind,
  id: textColumn(row, PLACES[kind].id),
  name: textColumn(row, PLACES[kind].name),
  workspace: kind === 'workspace' ? textColumn(row, 'id') : textOrNull(row, 'workspace'),
  archived: integerOrNull(row, 'archived'),
});
