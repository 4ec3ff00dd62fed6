import { HeadgateError } from '../core/errors.ts';
import { newNonce } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { DatabaseRow } from '../store/database.ts';
import { toEvent } from '../store/events.ts';
import { integerColumn, integerOrNull, isIn, textColumn, textOrNull } from '../store/rows.ts';
import type { WebhookFormat } from '../store/webhooks.ts';
import {
  noticeEvents,
  noticeFailures,
  type NoticeOptions,
  noticePolicy,
  noticeProviders,
} from './notices.ts';
import { webhookMessage, type WebhookMessage } from './webhook-message.ts';

export interface Alerts {
  /** One round: what has happened is noted and queued, and what is due is delivered. */
  deliver(signal: AbortSignal): Promise<void>;
  /** Rounds until the signal fires. */
  deliverUntil(signal: AbortSignal): Promise<void>;
}

export interface AlertOptions extends NoticeOptions {
  log: Logger;
  random(): number;
  /** Sends a request through the guard; throws `page_status` with the status unless the receiver accepts it. */
  post(url: string, message: WebhookMessage, signal: AbortSignal): Promise<unknown>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The waits between attempts, about three days in all. */
const RETRIES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** A webhook that accepted nothing for this long is switched off. */
const FAILING_MAX_MS = 5 * 24 * HOUR;

/**
 * Delivers events. Of several gateways the one that has the lease of a webhook sends to it, one request at a time. An event may arrive
 * more than once, when a gateway dies between the receiver's answer and its note; its ID stays the same.
 */
export function createAlerts(options: AlertOptions): Alerts {
  const { database, clock, log } = options;
  const holder = newNonce();
  const queue = createQueue(options);
  const notices = [
    noticeEvents(options),
    noticeProviders(options),
    noticeFailures(options),
    noticePolicy(options),
  ];

  /** Takes or renews the lease. */
  const claim = async (id: string): Promise<DatabaseRow | undefined> => {
    const now = clock.now();
    const [rows = []] = await database.write([
      {
        sql: `UPDATE webhooks SET lease = ?, lease_until = ? WHERE id = ? AND disabled IS NULL AND next <= ?
              AND (lease_until <= ? OR lease = ?) RETURNING *`,
        values: [holder, now + LIMITS.webhookLeaseMs, id, now, now, holder],
      },
    ]);
    return rows[0];
  };
  const release = async (id: string): Promise<void> => {
    const values = [id, holder];
    await database.write([{ sql: 'UPDATE webhooks SET lease_until = 0 WHERE id = ? AND lease = ?', values }]);
  };
  const drain = async (id: string, signal: AbortSignal): Promise<void> => {
    for (let sent = 0; sent < LIMITS.deliveriesPerRoundMax && !signal.aborted; sent += 1) {
      const webhook = await claim(id);
      const due = webhook === undefined ? undefined : await queue.next(id);
      if (webhook === undefined || due === undefined) break;
      await sendOne(options, webhook, due, signal);
    }
    await release(id);
  };
  const deliver = async (signal: AbortSignal): Promise<void> => {
    for (const notice of notices) await notice();
    await queue.fill();
    const waiting = await queue.webhooks();
    for (let from = 0; from < waiting.length; from += LIMITS.webhooksAtOnceMax)
      await Promise.all(waiting.slice(from, from + LIMITS.webhooksAtOnceMax).map((id) => drain(id, signal)));
  };
  return {
    deliver,
    deliverUntil: async (signal) => {
      while (!signal.aborted) {
        await deliver(signal).catch((thrown: unknown) => log.error('alerts_failed', { cause: thrown }));
        // The sleep rejects only when the signal fires.
        await clock.sleep(LIMITS.alertsMs, signal).catch(() => undefined);
      }
    },
  };
}

/** The rows of what is to be delivered. */
function createQueue({ database, clock }: AlertOptions) {
  return {
    /** Gives new events to the webhooks that want them. */
    fill: async (): Promise<void> => {
      const sql = 'SELECT id FROM events WHERE queued = 0 ORDER BY at LIMIT ?';
      const ids = (await database.read(sql, LIMITS.deliveriesPerRoundMax)).map((row) =>
        textColumn(row, 'id'),
      );
      if (ids.length === 0) return;
      const now = clock.now();
      await database.write([
        {
          sql: `INSERT INTO deliveries (webhook, event, state, attempts, next, at)
                SELECT w.id, e.id, 'waiting', 0, 0, ? FROM events e JOIN webhooks w
                  ON (w.workspace IS NULL OR w.workspace = e.workspace) AND w.created <= e.at + ?
                  AND (w.kinds = '' OR ',' || w.kinds || ',' LIKE '%,' || e.kind || ',%')
                WHERE ${isIn('e.id', ids)} ON CONFLICT DO NOTHING`,
          values: [now, MINUTE, ...ids],
        },
        { sql: `UPDATE events SET queued = 1 WHERE ${isIn('id', ids)}`, values: ids },
        { sql: 'DELETE FROM deliveries WHERE at < ?', values: [now - LIMITS.eventsKeptMs] },
        { sql: 'DELETE FROM events WHERE at < ? AND queued = 1', values: [now - LIMITS.eventsKeptMs] },
      ]);
    },
    webhooks: async (): Promise<string[]> =>
      (
        await database.read(
          `SELECT id FROM webhooks w WHERE disabled IS NULL AND next <= ? AND EXISTS (
             SELECT 1 FROM deliveries d WHERE d.webhook = w.id AND d.state = 'waiting' AND d.next <= ?)`,
          clock.now(),
          clock.now(),
        )
      ).map((row) => textColumn(row, 'id')),
    next: async (webhook: string): Promise<DatabaseRow | undefined> =>
      (
        await database.read(
          `SELECT e.*, d.attempts AS attempts FROM deliveries d JOIN events e ON e.id = d.event
           WHERE d.webhook = ? AND d.state = 'waiting' AND d.next <= ? ORDER BY d.next, e.at, e.id LIMIT 1`,
          webhook,
          clock.now(),
        )
      )[0],
  };
}

/** One attempt, and what became of it. */
async function sendOne(
  { database, clock, random, log, post }: AlertOptions,
  webhook: DatabaseRow,
  due: DatabaseRow,
  signal: AbortSignal,
): Promise<void> {
  const [id, event, now] = [textColumn(webhook, 'id'), toEvent(due), clock.now()];
  const before = textOrNull(webhook, 'secret_before');
  const isReplaced = before !== null && integerColumn(webhook, 'before_until') > now;
  const secrets = [textColumn(webhook, 'secret'), ...(isReplaced ? [before] : [])];
  const format = textColumn(webhook, 'format') as WebhookFormat;
  const failure = await post(
    textColumn(webhook, 'url'),
    webhookMessage(event, { format, secrets, now }),
    signal,
  ).then(
    () => undefined,
    (thrown: unknown) => HeadgateError.from(thrown),
  );
  // The process ends: nobody knows whether it arrived, and the next one tries again.
  if (failure !== undefined && signal.aborted) return;
  const attempts = integerColumn(due, 'attempts') + 1;
  const end = (state: string, next: number, result: string | null) => ({
    sql: 'UPDATE deliveries SET state = ?, attempts = ?, next = ?, result = ? WHERE webhook = ? AND event = ?',
    values: [state, attempts, next, result, id, event.id],
  });
  if (failure === undefined) {
    const better = { sql: 'UPDATE webhooks SET failing = NULL WHERE id = ?', values: [id] };
    await database.write([end('delivered', 0, null), better]);
    return;
  }
  const { message, retryAfterMs = 0, data } = failure;
  const waitMs = RETRIES_MS[attempts - 1];
  const askedMs = Math.min(retryAfterMs, LIMITS.webhookRetryAfterMaxMs);
  const next = clock.now() + Math.max(askedMs, (waitMs ?? 0) * (1 + random() * 0.2));
  const since = integerOrNull(webhook, 'failing') ?? now;
  const isGone = data['status'] === 410;
  const isOver = isGone || now - since > FAILING_MAX_MS;
  const reason = isGone ? 'The receiver answered 410 (gone).' : 'Nothing was accepted for five days.';
  log.warn('webhook_failed', { webhook: id, event: event.id, attempts, reason: message });
  await database.write([
    end(waitMs === undefined || isOver ? 'failed' : 'waiting', Math.ceil(next), message.slice(0, 200)),
    {
      sql: `UPDATE webhooks SET failing = ?, next = ?, disabled = ?, reason = ? WHERE id = ?`,
      values: [
        since,
        askedMs === 0 ? 0 : clock.now() + askedMs,
        isOver ? now : null,
        isOver ? reason : null,
        id,
      ],
    },
  ]);
}
