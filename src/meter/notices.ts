import { LIMITS } from '../core/limits.ts';
import { HOUR_MS } from '../core/window.ts';
import type { Clock } from '../core/clock.ts';
import type { Database, SqlStatement } from '../store/database.ts';
import { noteEvent } from '../store/events.ts';
import { integerColumn, textColumn } from '../store/rows.ts';

export interface NoticeOptions {
  database: Database;
  clock: Clock;
  /** The providers that are set up, as this process sees them. */
  providers?(): { id: string; state: string; attempts: number }[];
}

const DAY_MS = 86_400_000;
/** How many days the balance still lasts, at the rate of the last day, when it is reported. */
const DAYS_LEFT = [7, 3, 1];

/** Notes what no booking and no change shows: keys that expire soon, and balances that do not last. Once an hour. */
export function noticeEvents({ database, clock }: NoticeOptions): () => Promise<void> {
  let last = -Infinity;
  return async () => {
    if (clock.monotonic() - last < LIMITS.noticesMs) return;
    last = clock.monotonic();
    const now = clock.now();
    const keys = await database.read(
      `SELECT id, workspace, label, expires FROM api_keys
       WHERE revoked IS NULL AND client IS NULL AND expires > ? AND expires <= ? LIMIT ?`,
      now,
      now + 7 * DAY_MS,
      LIMITS.storeRowsMax,
    );
    const spent = await database.read(
      `SELECT s.id AS id, s.balance AS balance, sum(h.charged) AS amount
       FROM holds h JOIN subscriptions s ON s.id = h.subscription
       WHERE h.hour > ? AND h.charged > 0 GROUP BY s.id, s.balance LIMIT ?`,
      Math.floor((now - DAY_MS) / HOUR_MS),
      LIMITS.storeRowsMax,
    );
    const statements: SqlStatement[] = keys.map((row) => {
      const [id, expires] = [textColumn(row, 'id'), integerColumn(row, 'expires')];
      const about = { kind: 'key.expiring', subject: id, period: expires, threshold: 7 } as const;
      const data = { label: textColumn(row, 'label'), expires: new Date(expires).toISOString() };
      return noteEvent({ ...about, workspace: textColumn(row, 'workspace'), data, at: now });
    });
    for (const row of spent) {
      const [id, balance] = [textColumn(row, 'id'), integerColumn(row, 'balance')];
      const days = balance / Math.max(1, integerColumn(row, 'amount'));
      const threshold = DAYS_LEFT.findLast((limit) => days <= limit);
      if (threshold === undefined) continue;
      // Told again only in another week: the balance moves with every call.
      const period = Math.floor(now / (7 * DAY_MS));
      const data = { balance, days: Math.floor(days * 10) / 10 };
      const about = { kind: 'balance.days_left', subject: id, period, threshold } as const;
      statements.push(noteEvent({ ...about, workspace: null, data, at: now }));
    }
    if (statements.length > 0) await database.write(statements);
  };
}

/** A provider is down when this many attempts have failed and none has not. */
const ATTEMPTS_DOWN = 3;

/** Notes providers that stop answering and answer again, of each at most once an hour, whichever gateways see it. */
export function noticeProviders({
  database,
  clock,
  providers = () => [],
}: NoticeOptions): () => Promise<void> {
  const down = new Set<string>();
  return async () => {
    const now = clock.now();
    const statements: SqlStatement[] = [];
    for (const { id, state, attempts } of providers()) {
      const isDown = state === 'down' && attempts >= ATTEMPTS_DOWN;
      const isUp = state === 'ok' || state === 'degraded';
      if (isDown === down.has(id) || (!isDown && !isUp)) continue;
      if (isDown) down.add(id);
      else down.delete(id);
      const kind = isDown ? 'provider.down' : 'provider.up';
      const about = { kind, subject: id, period: Math.floor(now / HOUR_MS), threshold: 0 } as const;
      statements.push(noteEvent({ ...about, workspace: null, data: { state }, at: now }));
    }
    if (statements.length > 0) await database.write(statements);
  };
}
