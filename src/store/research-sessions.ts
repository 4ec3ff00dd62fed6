import type { Caller } from '../core/call.ts';
import type { Database, DatabaseRow, SqlStatement, SqlValue } from './database.ts';
import { noteEvent } from './events.ts';
import { flagColumn, from, integerColumn, rowReader, textColumn } from './rows.ts';

/** A stored research session; the record is the caller's own JSON. */
export type StoredSession = ReturnType<typeof toStored>;

const toStored = rowReader({
  record: textColumn,
  /** Whether a process holds its lease now. */
  isHeld: from('held', flagColumn),
  /** Whether its process died or stopped, and another gateway is about to take it over. */
  isLeft: from('is_left', flagColumn),
  /** How often its status was requested. */
  checks: integerColumn,
});

/** A session that was taken over. */
export interface TakenSession extends Holder {
  record: string;
  caller: Caller;
  /** How many processes have died while they ran it. */
  deaths: number;
  isCancelled: boolean;
  /** Whether the key that started it still works. */
  isAllowed: boolean;
}

export interface StoredLine {
  seq: number;
  value: string;
}

/** The holder of a lease. Every write of the holder is fenced by it. */
export interface Holder {
  id: string;
  owner: string;
}

/** How a run of a research ended. */
export interface ResearchEnd {
  workspace: string;
  /** When the run began: a research that is continued ends again. */
  began: number;
  at: number;
  data: object;
}

/** Research sessions that every gateway on the same database sees, and that one at a time runs. */
export interface ResearchStore {
  insert(
    session: Holder & {
      workspace: string;
      record: string;
      created: number;
      expires: number;
      /** On whose behalf another gateway may go on by itself. */
      caller?: Caller | undefined;
    },
    leaseMs: number,
  ): Promise<void>;
  find(workspace: string, id: string): Promise<StoredSession | undefined>;
  /** Latest first, starting after `after`. */
  list(
    workspace: string,
    options: { after?: { created: number; id: string } | undefined; limit: number },
  ): Promise<StoredSession[]>;
  /** Takes the lease for `owner`; false when another process holds it. */
  claim(workspace: string, holder: Holder, leaseMs: number, caller: Caller): Promise<boolean>;
  /** Takes over sessions whose process died or stopped, at most so many. PostgreSQL only. */
  takeOver(owner: string, leaseMs: number, max: number): Promise<TakenSession[]>;
  /** Renews the lease: `lost` when another process took it over or the session is gone. */
  renew(holder: Holder, leaseMs: number): Promise<'held' | 'cancelled' | 'lost'>;
  /** With `isLeft`, another gateway may take the session over at once. */
  release(holder: Holder, isLeft: boolean): Promise<void>;
  /** Saves the record; with `done`, the end of the research is reported once. */
  save(holder: Holder, record: string, done?: ResearchEnd): Promise<void>;
  /** Counts a status request and returns how many there were. */
  check(workspace: string, id: string): Promise<number>;
  /** Requests cancellation from the process that runs the session. */
  cancel(workspace: string, id: string): Promise<void>;
  remove(workspace: string, id: string): Promise<void>;
  /** Removes expired sessions, and those that a workspace has beyond `keepMax`; never a running one. */
  prune(workspace: string, options: { now: number; keepMax: number }): Promise<void>;
  write(holder: Holder, name: string, value: string): Promise<void>;
  read(id: string, name: string): Promise<string | undefined>;
  append(holder: Holder, kind: string, key: string, value: string): Promise<void>;
  keys(id: string, kind: string): Promise<string[]>;
  lineOf(id: string, kind: string, key: string): Promise<string | undefined>;
  linesAfter(id: string, kind: string, seq: number, limit: number): Promise<StoredLine[]>;
}

/** The database's time in milliseconds, so that gateways with different clocks agree on when a lease ends. */
const NOW = {
  sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
  postgres: 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
};

export function createResearchStore(database: Database): ResearchStore {
  const now = NOW[database.dialect];
  const one: One = async (sql, values) => (await database.write([{ sql, values }]))[0] ?? [];
  return { ...rowsOf(database, now, one), ...leasesOf(database, now, one), ...partsOf(database, one) };
}

type One = (sql: string, values: SqlValue[]) => Promise<DatabaseRow[]>;
type Leases = 'claim' | 'takeOver' | 'renew' | 'release' | 'save';
type Parts = 'write' | 'read' | 'append' | 'keys' | 'lineOf' | 'linesAfter';

/** A lease of 0 was released, and one of 1 was released for others to go on. With SQLite there are no others. */
const leftAt = (now: string, { dialect }: Database): string =>
  dialect === 'sqlite'
    ? '1 = 0'
    : `lease > 0 AND lease <= ${now} AND caller IS NOT NULL AND expires > ${now}`;

/** The sessions themselves. */
function rowsOf(database: Database, now: string, one: One): Omit<ResearchStore, Leases | Parts> {
  const columns = `record, checks, CASE WHEN lease > ${now} THEN 1 ELSE 0 END AS held,
    CASE WHEN ${leftAt(now, database)} THEN 1 ELSE 0 END AS is_left`;
  return {
    insert: async ({ id, owner, workspace, record, created, expires, caller }, leaseMs) => {
      await one(
        `INSERT INTO research_sessions (id, workspace, record, owner, lease, created, expires, caller, api_key)
         VALUES (?, ?, ?, ?, ${now} + ?, ?, ?, ?, ?)`,
        [id, workspace, record, owner, leaseMs, created, expires, ...callerColumns(caller)],
      );
    },
    find: async (workspace, id) => {
      const sql = `SELECT ${columns} FROM research_sessions WHERE id = ? AND workspace = ?`;
      const [row] = await database.read(sql, id, workspace);
      return row === undefined ? undefined : toStored(row);
    },
    list: async (workspace, { after, limit }) => {
      const from = after === undefined ? '' : 'AND (created < ? OR (created = ? AND id > ?))';
      const values = after === undefined ? [] : [after.created, after.created, after.id];
      const sql = `SELECT ${columns} FROM research_sessions WHERE workspace = ? ${from}
                   ORDER BY created DESC, id LIMIT ?`;
      return (await database.read(sql, workspace, ...values, limit)).map(toStored);
    },
    check: async (workspace, id) => {
      const [row] = await one(
        'UPDATE research_sessions SET checks = checks + 1 WHERE id = ? AND workspace = ? RETURNING checks',
        [id, workspace],
      );
      return row === undefined ? 0 : integerColumn(row, 'checks');
    },
    cancel: async (workspace, id) => {
      await one('UPDATE research_sessions SET cancelled = 1 WHERE id = ? AND workspace = ?', [id, workspace]);
    },
    remove: async (workspace, id) => {
      await one('DELETE FROM research_sessions WHERE id = ? AND workspace = ?', [id, workspace]);
    },
    prune: async (workspace, { now: moment, keepMax }) => {
      const surplus = `SELECT id FROM research_sessions WHERE workspace = ? ORDER BY created DESC, id LIMIT 1000 OFFSET ?`;
      const statements: SqlStatement[] = [
        { sql: `DELETE FROM research_sessions WHERE expires < ? AND lease <= ${now}`, values: [moment] },
        {
          sql: `DELETE FROM research_sessions WHERE lease <= ${now} AND id IN (${surplus})`,
          values: [workspace, keepMax],
        },
      ];
      await database.write(statements);
    },
  };
}

/** The leases. */
function leasesOf(database: Database, now: string, one: One): Pick<ResearchStore, Leases> {
  return {
    claim: async (workspace, { id, owner }, leaseMs, caller) => {
      // A single statement decides: of two claims at once, the second finds the lease taken.
      const rows = await one(
        `UPDATE research_sessions SET owner = ?, lease = ${now} + ?, cancelled = 0, checks = 0, takeovers = 0, caller = ?, api_key = ?
         WHERE id = ? AND workspace = ? AND lease <= ${now} RETURNING id`,
        [owner, leaseMs, ...callerColumns(caller), id, workspace],
      );
      return rows.length > 0;
    },
    takeOver: async (owner, leaseMs, max) => {
      // Who died is counted with the claim, so that it also counts where a session ends its process at once.
      const rows = await one(
        `UPDATE research_sessions SET owner = ?, lease = ${now} + ?, takeovers = takeovers + CASE WHEN lease > 1 THEN 1 ELSE 0 END
         WHERE id IN (SELECT id FROM research_sessions WHERE ${leftAt(now, database)} ORDER BY lease LIMIT ? FOR UPDATE SKIP LOCKED)
         RETURNING id, record, caller, takeovers, cancelled, CASE WHEN api_key IS NULL OR EXISTS (
           SELECT FROM api_keys k JOIN workspaces w ON w.id = k.workspace WHERE k.id = api_key AND k.revoked IS NULL
             AND k.archived IS NULL AND w.archived IS NULL AND coalesce(k.expires > ${now}, true)) THEN 1 ELSE 0 END AS allowed`,
        [owner, leaseMs, max],
      );
      return rows.map((row) => ({
        id: textColumn(row, 'id'),
        owner,
        record: textColumn(row, 'record'),
        caller: JSON.parse(textColumn(row, 'caller')) as Caller,
        deaths: integerColumn(row, 'takeovers'),
        isCancelled: integerColumn(row, 'cancelled') > 0,
        isAllowed: integerColumn(row, 'allowed') > 0,
      }));
    },
    renew: async ({ id, owner }, leaseMs) => {
      const [row] = await one(
        `UPDATE research_sessions SET lease = ${now} + ? WHERE id = ? AND owner = ? RETURNING cancelled`,
        [leaseMs, id, owner],
      );
      if (row === undefined) return 'lost';
      return integerColumn(row, 'cancelled') > 0 ? 'cancelled' : 'held';
    },
    release: async ({ id, owner }, isLeft) => {
      const sql = 'UPDATE research_sessions SET lease = ? WHERE id = ? AND owner = ?';
      await one(sql, [isLeft ? 1 : 0, id, owner]);
    },
    save: async ({ id, owner }, record, done) => {
      const sql = 'UPDATE research_sessions SET record = ? WHERE id = ? AND owner = ?';
      const saved = { sql, values: [record, id, owner] };
      await database.write(done === undefined ? [saved] : [saved, ended(id, owner, done)]);
    },
  };
}

/** What was allowed at the start stays allowed; the rules and the key are those of the moment. */
const callerColumns = (caller: Caller | undefined): SqlValue[] =>
  caller === undefined ? [null, null] : [JSON.stringify({ ...caller, grant: 'all' }), caller.key ?? null];

const HELD = 'EXISTS (SELECT 1 FROM research_sessions WHERE id = ? AND owner = ?)';

const ended = (id: string, owner: string, { workspace, began, at, data }: ResearchEnd): SqlStatement =>
  noteEvent(
    {
      kind: 'research.done',
      subject: id,
      period: began,
      threshold: 0,
      workspace: workspace || null,
      data,
      at,
    },
    { sql: HELD, values: [id, owner] },
  );

/** The documents of a session. Only its holder writes them, and late writes are harmless. */
function partsOf(database: Database, one: One): Pick<ResearchStore, Parts> {
  return {
    write: async ({ id, owner }, name, value) => {
      await one(
        `INSERT INTO research_documents (session, name, value)
         SELECT s.id, CAST(? AS TEXT), CAST(? AS TEXT) FROM research_sessions s WHERE s.id = ? AND s.owner = ?
         ON CONFLICT (session, name) DO UPDATE SET value = excluded.value`,
        [name, value, id, owner],
      );
    },
    read: async (id, name) => {
      const sql = 'SELECT value FROM research_documents WHERE session = ? AND name = ?';
      const [row] = await database.read(sql, id, name);
      return row === undefined ? undefined : textColumn(row, 'value');
    },
    append: async ({ id, owner }, kind, key, value) => {
      await one(
        `INSERT INTO research_lines (session, kind, key, value)
         SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT) WHERE ${HELD}`,
        [id, kind, key, value, id, owner],
      );
    },
    keys: async (id, kind) => {
      const sql = 'SELECT DISTINCT key FROM research_lines WHERE session = ? AND kind = ?';
      return (await database.read(sql, id, kind)).map((row) => textColumn(row, 'key'));
    },
    lineOf: async (id, kind, key) => {
      const sql =
        'SELECT value FROM research_lines WHERE session = ? AND kind = ? AND key = ? ORDER BY seq DESC LIMIT 1';
      const [row] = await database.read(sql, id, kind, key);
      return row === undefined ? undefined : textColumn(row, 'value');
    },
    linesAfter: async (id, kind, seq, limit) => {
      const sql =
        'SELECT seq, value FROM research_lines WHERE session = ? AND kind = ? AND seq > ? ORDER BY seq LIMIT ?';
      const rows = await database.read(sql, id, kind, seq, limit);
      return rows.map((row) => ({ seq: integerColumn(row, 'seq'), value: textColumn(row, 'value') }));
    },
  };
}
