import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { LEAK_LIMITS } from '../core/leak-limits.ts';
import { sql, type Database, type SqlStatement } from './database.ts';
import { integerColumn, newId, textColumn } from './rows.ts';

/** Whose choices are counted. */
export interface LeakOwner {
  /** Who was shown addresses: a key with an agent. */
  owner: string;
  /** Whose budgets a choice is taken from: the key's and the agent's. */
  payers: readonly string[];
}

/** A list of addresses that has the one that was chosen. */
export interface ShownIn {
  list: string;
  size: number;
  /** 1 for the list that was shown or chosen from last. */
  rank: number;
  /** How many lists there are. */
  count: number;
  /** How many links its addresses are away from what a search or a person gave. */
  depth: number;
}

/** Addresses that a caller is about to see. */
export interface ShownList {
  addresses: readonly string[];
  depth: number;
}

/** What callers were shown, and what they told by choosing from it, within 24 hours. All gateways share it. */
export interface Leaks {
  /** Notes lists of addresses that a caller is about to see; the last is the newest. */
  show(who: LeakOwner, lists: readonly ShownList[]): Promise<void>;
  /** The lists that have an address. */
  find(who: LeakOwner, address: string): Promise<ShownIn[]>;
  /** Takes thousandths of a bit from the budgets, or nothing: false when one of them would not hold. */
  book(
    who: LeakOwner,
    choice: { domain: string; bits: number; list?: string },
    limits: { perDomain: number; total: number },
  ): Promise<boolean>;
  /** What was taken from the fullest budget. */
  booked(who: LeakOwner, domain?: string): Promise<number>;
}

export function createLeaks(database: Database, clock: Clock): Leaks {
  const { windowMs } = LEAK_LIMITS;
  const sweep = createSweep(database, clock);
  const total = (domain: boolean): string =>
    `(SELECT COALESCE(SUM(bits), 0) FROM leak_bookings WHERE payer = ? AND at > ?${domain ? ' AND domain = ?' : ''})`;
  return {
    show: createShow(database, clock, sweep),
    find: async ({ owner }, address) => {
      const now = clock.now();
      const live = 'FROM leak_lists o WHERE o.owner = l.owner AND o.expires > ?';
      const rows = await database.read(
        `SELECT l.id AS id, l.size AS size, l.depth AS depth, (SELECT COUNT(*) ${live}) AS count,
           (SELECT COUNT(*) ${live} AND (o.used > l.used OR (o.used = l.used AND o.id > l.id))) AS newer
         FROM leak_lists l JOIN leak_addresses a ON a.list = l.id AND a.address = ?
         WHERE l.owner = ? AND l.expires > ?`,
        now,
        now,
        hashOf(owner, address),
        owner,
        now,
      );
      return rows.map((row) => ({
        list: textColumn(row, 'id'),
        size: integerColumn(row, 'size'),
        count: integerColumn(row, 'count'),
        rank: integerColumn(row, 'newer') + 1,
        depth: integerColumn(row, 'depth'),
      }));
    },
    book: async ({ payers }, { domain, bits, list }, limits) => {
      const now = clock.now();
      const since = now - windowMs;
      const sorted = payers.toSorted();
      const holds = sorted.map(() => `${total(false)} + ? <= ? AND ${total(true)} + ? <= ?`).join(' AND ');
      const results = await database.write([
        lockPayers(sorted, now),
        ...(list === undefined
          ? []
          : [sql`UPDATE leak_lists SET used = ${useOf(now, 0)} WHERE id = ${list}`]),
        {
          sql: `INSERT INTO leak_bookings (id, payer, domain, at, bits)
                SELECT CAST(? AS TEXT), payer, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM leak_payers
                WHERE payer IN (${sorted.map(() => '?').join(', ')}) AND ${holds} RETURNING payer`,
          values: [
            newId('leak', now),
            domain,
            now,
            bits,
            ...sorted,
            ...sorted.flatMap((payer) => {
              const inAll = [payer, since, bits, limits.total];
              return [...inAll, payer, since, domain, bits, limits.perDomain];
            }),
          ],
        },
      ]);
      await sweep();
      return (results.at(-1) ?? []).length > 0;
    },
    booked: async ({ payers }, domain) => {
      const since = clock.now() - windowMs;
      const sums = await Promise.all(
        payers.map(async (payer) => {
          const values = [payer, since, ...(domain === undefined ? [] : [domain])];
          const [row] = await database.read(`SELECT ${total(domain !== undefined)} AS bits`, ...values);
          return row === undefined ? 0 : integerColumn(row, 'bits');
        }),
      );
      return Math.max(0, ...sums);
    },
  };
}

/** Lists that are shown at the same time are in order. */
const useOf = (now: number, index: number): number => now * 1_000 + index;

/** How often a gateway removes what is over. */
const SWEEP_MS = 600_000;

/** Deletes lists that a query names, with their addresses. */
const without = (sql: string, values: (string | number)[]): SqlStatement[] => [
  { sql: `DELETE FROM leak_addresses WHERE list IN (${sql})`, values },
  { sql: `DELETE FROM leak_lists WHERE id IN (${sql})`, values },
];

function createSweep(database: Database, clock: Clock): () => Promise<void> {
  let sweptAt = -Infinity;
  return async () => {
    const now = clock.now();
    if (now - sweptAt < SWEEP_MS) return;
    sweptAt = now;
    const old = now - LEAK_LIMITS.windowMs;
    await database.write([
      ...without('SELECT id FROM leak_lists WHERE expires <= ?', [now]),
      sql`DELETE FROM leak_bookings WHERE at <= ${old}`,
      sql`DELETE FROM leak_payers WHERE at <= ${old}`,
    ]);
  };
}

function createShow(database: Database, clock: Clock, sweep: () => Promise<void>): Leaks['show'] {
  return async ({ owner }, lists) => {
    const now = clock.now();
    const added = lists
      .filter(({ addresses }) => addresses.length > 0)
      .flatMap(({ addresses, depth }, index): SqlStatement[] => {
        const id = newId('list', now);
        return [
          sql`INSERT INTO leak_lists (id, owner, used, size, expires, depth)
              VALUES (${id}, ${owner}, ${useOf(now, index)}, ${addresses.length},
              ${now + LEAK_LIMITS.windowMs}, ${depth})`,
          ...inserts(
            id,
            addresses.map((one) => hashOf(owner, one)),
          ),
        ];
      });
    if (added.length === 0) return;
    const surplus = `SELECT id FROM (SELECT id, SUM(size) OVER (ORDER BY used DESC, id DESC) AS addresses,
        ROW_NUMBER() OVER (ORDER BY used DESC, id DESC) AS place FROM leak_lists WHERE owner = ?) AS ranked
        WHERE place > ? OR (addresses > ? AND place > 2)`;
    await database.write([
      ...added,
      ...without(surplus, [owner, LEAK_LIMITS.listsMax, LEAK_LIMITS.addressesMax]),
    ]);
    await sweep();
  };
}

/** The same address has another hash for every owner, so that nobody learns from the store what two of them read. */
export const hashOf = (owner: string, address: string): string =>
  createHash('sha256').update(`${owner}\n${address}`).digest('base64url').slice(0, 16);

/** Locks what somebody has until the end of a transaction: whoever comes second sees what the first one did. */
export const lockPayers = (sorted: readonly string[], now: number): SqlStatement => ({
  sql: `INSERT INTO leak_payers (payer, at) VALUES ${sorted.map(() => '(?, ?)').join(', ')}
        ON CONFLICT (payer) DO UPDATE SET at = excluded.at`,
  values: sorted.flatMap((payer) => [payer, now]),
});

const ROWS_PER_INSERT = 500;

function inserts(list: string, hashes: readonly string[]): SqlStatement[] {
  const statements: SqlStatement[] = [];
  for (let start = 0; start < hashes.length; start += ROWS_PER_INSERT) {
    const part = hashes.slice(start, start + ROWS_PER_INSERT);
    statements.push({
      sql: `INSERT INTO leak_addresses (list, address) VALUES ${part.map(() => '(?, ?)').join(', ')}`,
      values: part.flatMap((hash) => [list, hash]),
    });
  }
  return statements;
}
