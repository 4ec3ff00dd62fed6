import { LIMITS } from '../core/limits.ts';
import { OUTCOMES } from '../core/outcome.ts';
import { HOUR_MS } from '../core/window.ts';
import type { Clock } from '../core/clock.ts';
import type { Database, SqlStatement } from '../store/database.ts';
import { noteEvent } from '../store/events.ts';
import { integerColumn, isIn, textColumn, textOrNull } from '../store/rows.ts';

export interface NoticeOptions {
  database: Database;
  clock: Clock;
  /** The providers that are set up, as this process sees them. */
  providers?(): WatchedProvider[];
}

interface WatchedProvider {
  id: string;
  state: string;
  attempts: number;
  /** Its keys whose quota is used up, by number, and until when they are not used. */
  exhausted?: { key: number; until: number }[];
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

/**
 * Notes providers that stop answering and answer again, of each at most once an hour, and keys that a provider refuses because
 * their quota is used up, once a day; whichever gateways see it.
 */
export function noticeProviders({
  database,
  clock,
  providers = () => [],
}: NoticeOptions): () => Promise<void> {
  const down = new Set<string>();
  /** The day on which an exhausted key was last reported. */
  const told = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const statements: SqlStatement[] = [];
    for (const { id, state, attempts, exhausted = [] } of providers()) {
      for (const { key, until } of exhausted) {
        const subject = `${id} key ${key}`;
        const about = { kind: 'provider.key_exhausted', subject, period: Math.floor(now / DAY_MS) } as const;
        if (told.get(subject) === about.period) continue;
        told.set(subject, about.period);
        const data = { provider: id, key, until: new Date(until).toISOString() };
        statements.push(noteEvent({ ...about, threshold: 0, workspace: null, data, at: now }));
      }
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

/** Many failures: this many within this time, and at least half of the calls. */
const FAILURES_MIN = 20;
const FAILING_MS = 600_000;
/** Answers, and mistakes of the caller, say nothing against the service. */
const FAILED = OUTCOMES.filter((one) => !['ok', 'empty', 'partial', 'degraded', 'invalid'].includes(one));

/** Notes workspaces whose calls fail, by the call log, each once an hour. Looks once a minute, and at a bounded number of rows. */
export function noticeFailures({ database, clock }: NoticeOptions): () => Promise<void> {
  let last = -Infinity;
  return async () => {
    if (clock.monotonic() - last < LIMITS.failuresNoticedMs) return;
    last = clock.monotonic();
    const [now, since] = [clock.now(), clock.now() - FAILING_MS];
    const rows = await database.read(
      `SELECT workspace, code, count(*) AS failed FROM (SELECT workspace, code FROM calls
         WHERE outcome <> 'ok' AND ${isIn('outcome', FAILED)} AND at >= ? LIMIT ?) AS f
       WHERE coalesce(code, '') <> 'cancelled' GROUP BY workspace, code ORDER BY failed DESC LIMIT ?`,
      ...FAILED,
      since,
      LIMITS.callsLookedMax,
      LIMITS.storeRowsMax,
    );
    const failing = new Map<string | null, { failed: number; code: string | null }>();
    for (const row of rows) {
      const workspace = textOrNull(row, 'workspace');
      // The rows are in order: the first code of a workspace is its most frequent one.
      const sum = failing.get(workspace) ?? { failed: 0, code: textOrNull(row, 'code') };
      failing.set(workspace, { ...sum, failed: sum.failed + integerColumn(row, 'failed') });
    }
    const statements: SqlStatement[] = [];
    for (const [workspace, { failed, code }] of failing) {
      if (failed < FAILURES_MIN) continue;
      const [row] = await database.read(
        `SELECT count(*) AS calls FROM (SELECT 1 FROM calls WHERE at >= ?
           AND ${workspace === null ? 'workspace IS NULL' : 'workspace = ?'} LIMIT ?) AS c`,
        since,
        ...(workspace === null ? [] : [workspace]),
        2 * failed + 1,
      );
      const calls = row === undefined ? 0 : integerColumn(row, 'calls');
      if (calls > 2 * failed) continue;
      const period = Math.floor(now / HOUR_MS);
      const about = { kind: 'calls.failing', subject: workspace ?? 'gateway', period, threshold: 0 } as const;
      const data = { failed, calls, minutes: FAILING_MS / 60_000, code };
      statements.push(noteEvent({ ...about, workspace, data, at: now }));
    }
    if (statements.length > 0) await database.write(statements);
  };
}

/** The digest of an hour waits this long after its end for calls that still run. */
const DIGEST_AFTER_MS = 300_000;
/** Hours that were missed while no gateway ran. */
const DIGEST_HOURS_MAX = 24;
/** More than one key may send in an hour, so that nobody can crowd out the digests of others. */
const DIGEST_CALLS_MAX = 200_000;

/** Notes what the policy refused and reported, by the call log: one digest for each workspace and hour that had any. */
export function noticePolicy({ database, clock }: NoticeOptions): () => Promise<void> {
  let done = -Infinity;
  return async () => {
    const now = clock.now();
    const until = Math.floor((now - DIGEST_AFTER_MS) / HOUR_MS);
    if (until <= done) return;
    const since = Math.max(done, until - DIGEST_HOURS_MAX);
    const rows = await database.read(
      `SELECT workspace, hour, policy, code, count(*) AS calls FROM (
         SELECT workspace, at / ${HOUR_MS} AS hour, policy, code FROM calls
         WHERE policy IS NOT NULL AND at >= ? AND at < ? LIMIT ?) AS p
       GROUP BY workspace, hour, policy, code LIMIT ?`,
      since * HOUR_MS,
      until * HOUR_MS,
      DIGEST_CALLS_MAX,
      LIMITS.storeRowsMax,
    );
    const digests = new Map<string, Digest>();
    for (const row of rows) {
      const [workspace, hour] = [textOrNull(row, 'workspace'), integerColumn(row, 'hour')];
      const name = `${hour} ${workspace}`;
      const digest = digests.get(name) ?? { workspace, hour, calls: 0, refused: 0, rules: new Map() };
      digests.set(name, digest);
      const calls = integerColumn(row, 'calls');
      digest.calls += calls;
      if (textOrNull(row, 'code') === 'policy_denied') digest.refused += calls;
      for (const rule of textColumn(row, 'policy').split(', '))
        digest.rules.set(rule, (digest.rules.get(rule) ?? 0) + calls);
    }
    const statements = [...digests.values()].map(({ workspace, hour, calls, refused, rules }) => {
      const about = { kind: 'policy.denied', subject: workspace ?? 'gateway', period: hour } as const;
      const from = new Date(hour * HOUR_MS).toISOString();
      const data = { from, calls, refused, rules: Object.fromEntries(rules) };
      return noteEvent({ ...about, threshold: 0, workspace, data, at: now });
    });
    if (statements.length > 0) await database.write(statements);
    done = until;
  };
}

interface Digest {
  workspace: string | null;
  hour: number;
  calls: number;
  refused: number;
  /** The calls that met each rule; one call may meet several. */
  rules: Map<string, number>;
}
