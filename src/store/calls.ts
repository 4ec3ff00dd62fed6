import { SURFACES } from '../core/call-row.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { LoggedAttempt } from '../core/outcome.ts';
import { sql, type Database, type DatabaseRow, type SqlValue } from './database.ts';
import {
  flagColumn,
  integerColumn,
  jsonColumn,
  likeText,
  rowReader,
  textColumn,
  textOrNull,
} from './rows.ts';

/** How much of the call log is kept; the oldest rows and texts go first. */
export interface CallBounds {
  days: number;
  rows: number;
  textBytes: number;
}

/** A call as it is shown. */
export type LoggedCall = ReturnType<typeof toCall>;

const toCall = rowReader({
  seq: integerColumn,
  at: integerColumn,
  request: textColumn,
  surface: ({ surface }) => SURFACES.find((known) => known === surface) ?? 'sdk',
  operation: textColumn,
  workspace: textOrNull,
  agent: textOrNull,
  key: textOrNull,
  person: textOrNull,
  provider: textOrNull,
  outcome: textColumn,
  code: textOrNull,
  attempts: jsonColumn<LoggedAttempt[]>(),
  credits: integerColumn,
  charged: integerColumn,
  tokens: integerColumn,
  ms: integerColumn,
  cached: flagColumn,
  policy: textOrNull,
  query: textOrNull,
  answer: textOrNull,
});

/** Columns that a filter compares with a value. The first one of a filter that is given here leads the search. */
export const CALL_COLUMNS_FILTERED = [
  'request',
  'key',
  'agent',
  'person',
  'policy',
  'code',
  'outcome',
  'workspace',
  'provider',
  'operation',
  'surface',
] as const;
/** Numbers that a filter compares with a lower bound. */
export const CALL_NUMBERS_FILTERED = ['tokens', 'credits', 'tries', 'ms'] as const;

export type CallFilter = Partial<Record<(typeof CALL_COLUMNS_FILTERED)[number], string>> &
  Partial<Record<(typeof CALL_NUMBERS_FILTERED)[number], number>> & {
    cached?: boolean;
    /** Words in the kept query or URL. */
    text?: string;
    /** Only calls without a workspace, which are those of this installation. */
    isLocal?: boolean;
    /** Only these workspaces. */
    within?: readonly string[];
    from?: number;
    to?: number;
  };

/**
 * A page of calls, newest first. `next` is the cursor of the following page. `searchedTo` says how far back
 * the search has looked when it stopped before it found a full page.
 */
export interface CallPage {
  calls: LoggedCall[];
  next?: string;
  searchedTo?: number;
}

export interface Calls {
  page(filter: CallFilter, query: { before?: string; limit: number }): Promise<CallPage>;
  /** Calls that were written after this row, in the order in which they were written. */
  after(seq: number, filter: CallFilter, limit: number): Promise<LoggedCall[]>;
  /** The number of the newest row. */
  latest(): Promise<number>;
  /** What the charts need of the rows in (after, upTo]. */
  facts(after: number, upTo: number): Promise<ChartedCall[]>;
  /** When the first call of the log began. */
  oldest(): Promise<number | undefined>;
  /** The number of the last row before this time. */
  lastBefore(at: number): Promise<number>;
}

/** By what calls are counted in charts. */
export const CALL_GROUPS = ['provider', 'workspace', 'operation', 'outcome'] as const;
export type CallGroup = (typeof CALL_GROUPS)[number];

const toCharted = rowReader({
  at: integerColumn,
  ms: integerColumn,
  cached: flagColumn,
  credits: integerColumn,
  charged: integerColumn,
  provider: textOrNull,
  workspace: textOrNull,
  operation: textColumn,
  outcome: textColumn,
});
export type ChartedCall = ReturnType<typeof toCharted>;

export function createCalls(database: Database): Calls {
  const latest = async (): Promise<number> =>
    numberOf(await database.read('SELECT max(seq) AS seq FROM calls'));
  return {
    latest,
    page: async (filter, { before, limit }) => {
      const bounded = Math.min(limit, LIMITS.callsPageMax);
      const { lead, rest } = partsOf(filter, cursorOf(before));
      // Nothing more is read than this, whatever is asked for, so that no filter takes long.
      const looked = rest.sql.length === 0 ? bounded + 1 : LIMITS.callsLookedMax;
      const rows = await database.read(
        `SELECT * FROM (SELECT * FROM calls ${where(lead.sql)} ORDER BY at DESC, seq DESC LIMIT ?) AS looked
         ${where(rest.sql)} ORDER BY at DESC, seq DESC LIMIT ?`,
        ...lead.values,
        looked,
        ...rest.values,
        bounded + 1,
      );
      const calls = rows.slice(0, bounded).map(toCall);
      const last = calls.at(-1);
      if (rows.length > bounded && last !== undefined) return { calls, next: `${last.at}.${last.seq}` };
      if (rest.sql.length === 0) return { calls };
      const [end] = await database.read(
        `SELECT at, seq FROM calls ${where(lead.sql)} ORDER BY at DESC, seq DESC LIMIT 1 OFFSET ?`,
        ...lead.values,
        looked - 1,
      );
      if (end === undefined) return { calls };
      const at = integerColumn(end, 'at');
      return { calls, next: `${at}.${integerColumn(end, 'seq')}`, searchedTo: at };
    },
    after: async (seq, filter, limit) => {
      const { lead, rest } = partsOf(filter, undefined);
      const conditions = ['seq > ?', ...lead.sql, ...rest.sql];
      const rows = await database.read(
        `SELECT * FROM calls ${where(conditions)} ORDER BY seq LIMIT ?`,
        seq,
        ...lead.values,
        ...rest.values,
        Math.min(limit, LIMITS.callsPageMax),
      );
      return rows.map(toCall);
    },
    facts: async (after, upTo) => {
      const rows = await database.read(
        `SELECT at, ms, cached, credits, charged, ${CALL_GROUPS.join(', ')} FROM calls WHERE seq > ? AND seq <= ?`,
        after,
        upTo,
      );
      return rows.map(toCharted);
    },
    oldest: async () => {
      const [row] = await database.read('SELECT at FROM calls ORDER BY at, seq LIMIT 1');
      return row === undefined ? undefined : integerColumn(row, 'at');
    },
    lastBefore: async (at) =>
      numberOf(
        await database.read('SELECT seq FROM calls WHERE at < ? ORDER BY at DESC, seq DESC LIMIT 1', at),
      ),
  };
}

const numberOf = ([row]: DatabaseRow[]): number => Number(row?.['seq'] ?? 0);
const where = (conditions: string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;

interface Conditions {
  sql: string[];
  values: SqlValue[];
}

/** Conditions under which an index of rare values may be used, in the words of the index. */
const RARE: Record<string, string> = {
  key: 'key IS NOT NULL',
  agent: 'agent IS NOT NULL',
  person: 'person IS NOT NULL',
  policy: 'policy IS NOT NULL',
  code: 'code IS NOT NULL',
  provider: 'provider IS NOT NULL',
};

/** Stands for whatever a policy refused or reported. */
const ANY_POLICY = '*';

/** Splits a filter into the part that an index finds in order, and the rest, which is tested row by row. */
function partsOf(filter: CallFilter, before: { at: number; seq: number } | undefined) {
  const lead: Conditions = { sql: [], values: [] };
  const rest: Conditions = { sql: [], values: [] };
  const add = (to: Conditions, sql: string, ...values: SqlValue[]): void => {
    to.sql.push(sql);
    to.values.push(...values);
  };
  if (before !== undefined) add(lead, '(at, seq) < (?, ?)', before.at, before.seq);
  if (filter.from !== undefined) add(lead, 'at >= ?', filter.from);
  if (filter.to !== undefined) add(lead, 'at < ?', filter.to);
  let isLed = false;
  for (const column of CALL_COLUMNS_FILTERED) {
    const value = filter[column];
    if (value === undefined || (column === 'policy' && value === ANY_POLICY)) continue;
    const isRare = column === 'outcome' ? value !== 'ok' : column in RARE;
    // The usual outcome has no index; every other column has.
    const leads: boolean = !isLed && (column !== 'outcome' || isRare);
    isLed ||= leads;
    add(leads ? lead : rest, `"${column}" = ?`, value);
    if (leads && isRare) add(lead, column === 'outcome' ? "outcome <> 'ok'" : (RARE[column] ?? 'true'));
  }
  const flags: [boolean, string][] = [
    [filter.text !== undefined, 'text_bytes > 0'],
    [filter.policy === ANY_POLICY, 'policy IS NOT NULL'],
    [filter.cached === true, 'cached = 1'],
    [(filter.tokens ?? 0) > 0, 'tokens > 0'],
    [(filter.credits ?? 0) > 0, 'credits > 0'],
  ];
  for (const [isAsked, sql] of flags) {
    if (!isAsked) continue;
    add(isLed ? rest : lead, sql);
    isLed = true;
  }
  if (filter.within !== undefined && filter.workspace === undefined) {
    const listed = filter.within.map(() => '?').join(', ');
    add(rest, listed === '' ? '1 = 0' : `workspace IN (${listed})`, ...filter.within);
  }
  if (filter.isLocal === true) add(rest, 'workspace IS NULL');
  if (filter.cached === false) add(rest, 'cached = 0');
  for (const column of CALL_NUMBERS_FILTERED) {
    const least = filter[column];
    if (least !== undefined && least > 0) add(rest, `${column} >= ?`, least);
  }
  if (filter.text !== undefined) add(rest, "lower(query) LIKE ? ESCAPE '!'", likeText(filter.text));
  return { lead, rest };
}

function cursorOf(before: string | undefined): { at: number; seq: number } | undefined {
  if (before === undefined) return undefined;
  const [, at, seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(before) ?? [];
  if (at !== undefined) return { at: Number(at), seq: Number(seq) };
  throw new HeadgateError('invalid_request', 'before: not a cursor of this list.');
}

const DAY_MS = 24 * 3_600_000;

/** Removes the oldest rows and texts, a bounded number of each per round, so that no booking waits long. */
export async function trimCalls(database: Database, bounds: CallBounds, now: number): Promise<void> {
  const batch = LIMITS.callsTrimmedMax;
  const old = now - bounds.days * DAY_MS;
  for (let round = 0; round < LIMITS.callsTrimRoundsMax; round += 1) {
    const [edges] = await database.read(
      `SELECT (SELECT max(seq) FROM calls) AS newest, (SELECT min(seq) FROM calls) AS oldest,
         (SELECT count(*) FROM (SELECT 1 FROM calls WHERE at < ? LIMIT ?) AS o) AS old`,
      old,
      batch,
    );
    if (edges === undefined || edges['newest'] === null) return;
    const last = Math.min(
      integerColumn(edges, 'newest') - bounds.rows,
      integerColumn(edges, 'oldest') + batch,
    );
    const isOver = last >= integerColumn(edges, 'oldest');
    if (!isOver && integerColumn(edges, 'old') === 0) break;
    await database.write([
      sql`DELETE FROM calls WHERE seq <= ${isOver ? last : 0}`,
      sql`DELETE FROM calls WHERE seq IN (SELECT seq FROM calls WHERE at < ${old}
          ORDER BY at LIMIT ${batch})`,
    ]);
  }
  await trimTexts(database, bounds.textBytes);
}

async function trimTexts(database: Database, bytesMax: number): Promise<void> {
  const [sum] = await database.read('SELECT sum(text_bytes) AS bytes FROM calls WHERE text_bytes > 0');
  let over = Number(sum?.['bytes'] ?? 0) - bytesMax;
  for (let round = 0; over > 0 && round < LIMITS.callsTrimRoundsMax; round += 1) {
    const oldest = await database.read(
      'SELECT at, seq, text_bytes FROM calls WHERE text_bytes > 0 ORDER BY at, seq LIMIT ?',
      LIMITS.callsTrimmedMax,
    );
    let end: DatabaseRow | undefined;
    for (const row of oldest) {
      if (over <= 0) break;
      over -= integerColumn(row, 'text_bytes');
      end = row;
    }
    if (end === undefined) return;
    await database.write([
      sql`UPDATE calls SET query = NULL, answer = NULL, text_bytes = 0 WHERE text_bytes > 0
          AND (at, seq) <= (${integerColumn(end, 'at')}, ${integerColumn(end, 'seq')})`,
    ]);
  }
}
