import { HOUR_MS, WINDOW_HOURS } from '../../core/window.ts';
import type { DatabaseRow } from '../database.ts';

/** A query that finds nothing in a sound ledger, for both databases. */
export interface LedgerCheck {
  sql: string;
  say(row: DatabaseRow): string;
}

/** Checks that are fast enough for every start. */
export const LEDGER_CHECKS: LedgerCheck[] = [
  {
    sql: `SELECT s.id AS id, s.balance AS balance,
            coalesce((SELECT l.balance FROM ledger l WHERE l.subscription = s.id ORDER BY l.seq DESC LIMIT 1), 0) AS booked
          FROM subscriptions s
          WHERE s.balance <> coalesce((SELECT l.balance FROM ledger l WHERE l.subscription = s.id ORDER BY l.seq DESC LIMIT 1), 0)`,
    say: (row) =>
      `The balance of subscription ${row.id} is ${row.balance}, but its last ledger row says ${row.booked}.`,
  },
  {
    sql: `SELECT s.id AS id, s.reserved AS reserved, coalesce(h.held, 0) AS held
          FROM subscriptions s LEFT JOIN (
            SELECT subscription, sum(amount) AS held FROM holds WHERE state = 'open' GROUP BY subscription) h
          ON h.subscription = s.id
          WHERE s.reserved <> coalesce(h.held, 0)`,
    say: (row) =>
      `Subscription ${row.id} has ${row.reserved} reserved, but its open holds sum to ${row.held}.`,
  },
];

/** Checks that read the whole history. */
export const LEDGER_CHECKS_WHOLE: LedgerCheck[] = [
  {
    sql: `SELECT s.id AS id, s.balance AS balance, coalesce(sum(l.amount), 0) AS total
          FROM subscriptions s LEFT JOIN ledger l ON l.subscription = s.id
          GROUP BY s.id, s.balance HAVING s.balance <> coalesce(sum(l.amount), 0)`,
    say: (row) =>
      `The balance of subscription ${row.id} is ${row.balance}, but its ledger rows sum to ${row.total}.`,
  },
  {
    sql: `SELECT h.subscription AS id, h.id AS hold FROM holds h
          LEFT JOIN ledger l ON l.subscription = h.subscription AND l.reference = h.id
          WHERE h.charged <> coalesce(-l.amount, 0)`,
    say: (row) => `Hold ${row.hold} of subscription ${row.id} has a different charge than the ledger.`,
  },
  {
    // Hours that no longer count are removed, and what is charged late makes them anew with less than they had.
    sql: `SELECT b.subscription AS id, b.category AS category, b.hour AS hour, b.count AS counted,
            coalesce(h.held, 0) AS held
          FROM request_buckets b JOIN subscriptions s ON s.id = b.subscription LEFT JOIN (
            SELECT subscription, category, hour, count(*) AS held FROM holds
            WHERE counted = 1 AND state IN ('open', 'settled') AND hour >= (SELECT min(hour) FROM request_buckets)
            GROUP BY subscription, category, hour) h
          ON h.subscription = b.subscription AND h.category = b.category AND h.hour = b.hour
          WHERE b.count <> coalesce(h.held, 0) AND b.hour > s.clock / ${HOUR_MS} - ${WINDOW_HOURS}`,
    say: (row) =>
      `Subscription ${row.id} counts ${row.counted} ${row.category} calls in hour ${row.hour}, but has ${row.held}.`,
  },
];
