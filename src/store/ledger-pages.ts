import { LIMITS } from '../core/limits.ts';
import type { Database, SqlValue } from './database.ts';
import type { LedgerKind } from './ledger/types.ts';
import { integerColumn, likeText, rowReader, textColumn, textOrNull } from './rows.ts';

/** A line of the ledger as it was read; the words in it are those of the database. */
export type LedgerEntry = ReturnType<typeof toEntry>;

const toEntry = rowReader({
  seq: integerColumn,
  subscription: textColumn,
  kind: textColumn,
  amount: integerColumn,
  balance: integerColumn,
  reference: textColumn,
  workspace: textOrNull,
  agent: textOrNull,
  key: textOrNull,
  provider: textOrNull,
  category: textOrNull,
  note: textOrNull,
  at: integerColumn,
});

export const LEDGER_SORTS = ['newest', 'oldest', 'largest', 'smallest'] as const;

export interface LedgerFilter {
  subscription?: string;
  kind?: LedgerKind;
  /** Words in the note, the reference, the provider, or the names of the workspace, agent and key. */
  text?: string;
  from?: number;
  to?: number;
}

/** `before` is the cursor of the previous page, in any order. */
export interface LedgerQuery extends LedgerFilter {
  sort?: (typeof LEDGER_SORTS)[number];
  before?: number;
  limit?: number;
}

/**
 * A page of entries; `next` is the cursor of the next page, absent on the last. `searchedTo` says how far a
 * search has looked when it stopped before it found a full page.
 */
export interface LedgerPage {
  entries: LedgerEntry[];
  next?: number;
  searchedTo?: number;
}

const ORDERS = {
  newest: ['seq', '<', 'seq DESC'],
  oldest: ['seq', '>', 'seq'],
  largest: ['amount, seq', '<', 'amount DESC, seq DESC'],
  smallest: ['amount, seq', '>', 'amount, seq'],
} as const;

/** Reads one page of the ledger. */
export async function ledgerPage(database: Database, query: LedgerQuery): Promise<LedgerPage> {
  const { sort = 'newest', before, limit = 100, text } = query;
  const bounded = Math.min(limit, LIMITS.storeRowsMax);
  const [columns, sign, order] = ORDERS[sort];
  const lead = leadOf(query);
  if (before !== undefined) {
    lead.sql.push(`(${columns}) ${sign} (SELECT ${columns} FROM ledger WHERE seq = ?)`);
    lead.values.push(before);
  }
  const where = lead.sql.length === 0 ? '' : `WHERE ${lead.sql.join(' AND ')}`;
  // A search by words reads at most so many rows at a time, so that no question takes long.
  const looked = text === undefined ? bounded + 1 : LIMITS.callsLookedMax;
  const words = text === undefined ? [] : TEXTS.map(() => likeText(text));
  const rows = await database.read(
    `SELECT * FROM (SELECT * FROM ledger ${where} ORDER BY ${order} LIMIT ?) AS looked
     ${text === undefined ? '' : `WHERE ${TEXTS.join(' OR ')}`} ORDER BY ${order} LIMIT ?`,
    ...lead.values,
    looked,
    ...words,
    bounded + 1,
  );
  const entries = rows.slice(0, bounded).map(toEntry);
  const last = entries.at(-1);
  if (rows.length > bounded && last !== undefined) return { entries, next: last.seq };
  if (text === undefined) return { entries };
  const [end] = await database.read(
    `SELECT at, seq FROM ledger ${where} ORDER BY ${order} LIMIT 1 OFFSET ?`,
    ...lead.values,
    looked - 1,
  );
  if (end === undefined) return { entries };
  return { entries, next: integerColumn(end, 'seq'), searchedTo: integerColumn(end, 'at') };
}

/** Every entry that a filter selects, oldest first, read page by page. */
export async function* ledgerEntries(database: Database, filter: LedgerFilter): AsyncGenerator<LedgerEntry> {
  let before: number | undefined;
  do {
    const page = await ledgerPage(database, {
      ...filter,
      sort: 'oldest',
      limit: LIMITS.storeRowsMax,
      ...(before === undefined ? {} : { before }),
    });
    yield* page.entries;
    before = page.next;
  } while (before !== undefined);
}

const named = (column: string, table: string, name: string): string =>
  `${column} IN (SELECT id FROM ${table} WHERE lower(${name}) LIKE ? ESCAPE '!')`;
const TEXTS = [
  ...['note', 'reference', 'provider', 'category'].map((name) => `lower(${name}) LIKE ? ESCAPE '!'`),
  named('workspace', 'workspaces', 'name'),
  named('agent', 'agents', 'name'),
  named('"key"', 'api_keys', 'label'),
];

function leadOf({ subscription, kind, from, to }: LedgerFilter): { sql: string[]; values: SqlValue[] } {
  const all: [string, SqlValue | undefined][] = [
    ['subscription = ?', subscription],
    ['kind = ?', kind],
    ['at >= ?', from],
    ['at < ?', to],
  ];
  const asked = all.filter((one): one is [string, SqlValue] => one[1] !== undefined);
  return { sql: asked.map(([sql]) => sql), values: asked.map(([, value]) => value) };
}
