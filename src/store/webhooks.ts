import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { named, own } from '../core/own-text.ts';
import { sql, type Database, type SqlStatement } from './database.ts';
import { EVENT_KINDS, noteEvent } from './events.ts';
import { eventId } from './ledger/hold-budgets.ts';
import {
  integerColumn,
  integerOrNull,
  listRows,
  newId,
  rowById,
  rowReader,
  textColumn,
  textOrNull,
  wordColumn,
} from './rows.ts';

/** `standard`: CloudEvents, signed as Standard Webhooks; `slack`: a message for an incoming webhook of Slack. */
export const WEBHOOK_FORMATS = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

const toWebhook = rowReader({
  id: textColumn,
  /** Whose events it gets; null for those of every workspace and of the gateway. */
  workspace: textOrNull,
  url: textColumn,
  format: wordColumn<WebhookFormat>(),
  /** The kinds that it gets; empty for all. */
  kinds: (row) => textColumn(row, 'kinds').split(',').filter(Boolean),
  created: integerColumn,
  /** When and why it was switched off. */
  disabled: integerOrNull,
  reason: textOrNull,
});
export type Webhook = ReturnType<typeof toWebhook>;

const toDelivery = rowReader({
  event: textColumn,
  kind: textColumn,
  state: wordColumn<'waiting' | 'delivered' | 'failed'>(),
  attempts: integerColumn,
  /** When it is tried next; only while it waits. */
  next: (row) => (row['state'] === 'waiting' ? integerColumn(row, 'next') : null),
  /** What the receiver answered last. */
  result: textOrNull,
  at: integerColumn,
});
export type Delivery = ReturnType<typeof toDelivery>;

/** A webhook whose secret is shown this once. */
export interface Secretive {
  secret: string;
  webhook: Webhook;
}

/** Webhooks and their deliveries. A gateway delivers; see `meter/alerts.ts`. */
export interface Webhooks {
  add(input: {
    url: string;
    workspace?: string;
    format?: WebhookFormat;
    kinds?: string[];
  }): Promise<Secretive>;
  get(id: string): Promise<Webhook>;
  list(workspaces?: string | readonly string[]): Promise<Webhook[]>;
  /** Makes a new secret. For a day the old one signs too. */
  rotate(id: string): Promise<Secretive>;
  remove(id: string): Promise<Webhook>;
  /** Sends a test event. */
  test(id: string): Promise<Delivery[]>;
  /** Delivers one event again, or all that failed, and switches the webhook on. */
  replay(id: string, event?: string): Promise<Delivery[]>;
  /** The latest deliveries. */
  deliveries(id: string): Promise<Delivery[]>;
}

export function createWebhooks(database: Database, clock: Clock): Webhooks {
  const get = async (id: string): Promise<Webhook> =>
    toWebhook(await rowById(database, 'webhooks', id, 'webhook'));
  const deliveries = async (id: string): Promise<Delivery[]> =>
    (
      await database.read(
        `SELECT d.*, e.kind AS kind FROM deliveries d JOIN events e ON e.id = d.event
         WHERE d.webhook = ? ORDER BY d.at DESC, d.event LIMIT ?`,
        id,
        LIMITS.deliveriesShownMax,
      )
    ).map(toDelivery);
  return {
    get,
    deliveries,
    list: async (workspaces) =>
      (await listRows(database, 'webhooks', { column: 'workspace', ids: workspaces })).map(toWebhook),
    add: adding(database, clock, get),
    rotate: async (id) => {
      await get(id);
      const secret = newSecret();
      await database.write([
        sql`UPDATE webhooks SET secret_before = secret,
            before_until = ${clock.now() + LIMITS.webhookSecretGraceMs}, secret = ${secret} WHERE id = ${id}`,
      ]);
      return { secret, webhook: await get(id) };
    },
    remove: async (id) => {
      const webhook = await get(id);
      await database.write([
        sql`DELETE FROM deliveries WHERE webhook = ${id}`,
        sql`DELETE FROM webhooks WHERE id = ${id}`,
      ]);
      return webhook;
    },
    test: async (id) => {
      const webhook = await get(id);
      const now = clock.now();
      const about = { kind: 'webhook.test', subject: id, period: now, threshold: 0 } as const;
      const data = { message: 'This is a test.' };
      await database.write([
        noteEvent({ ...about, workspace: webhook.workspace, data, at: now }),
        // Only this webhook gets it.
        sql`UPDATE events SET queued = 1 WHERE subject = ${id} AND period = ${now}`,
        deliver(id, eventId(id, about.kind, now, 0), now),
      ]);
      return deliveries(id);
    },
    replay: async (id, event) => {
      await get(id);
      const now = clock.now();
      if (event !== undefined) await rowById(database, 'events', event, 'event');
      await database.write([
        sql`UPDATE webhooks SET disabled = NULL, reason = NULL, failing = NULL, next = 0 WHERE id = ${id}`,
        event === undefined
          ? sql`UPDATE deliveries SET state = 'waiting', attempts = 0, next = ${now} WHERE webhook = ${id}
              AND state <> 'delivered'`
          : deliver(id, event, now),
      ]);
      return deliveries(id);
    },
  };
}

function adding(database: Database, clock: Clock, get: Webhooks['get']): Webhooks['add'] {
  return async ({ url, workspace, format = 'standard', kinds = [] }) => {
    const id = newId('webhook', clock.now());
    const secret = newSecret();
    if (workspace !== undefined) await rowById(database, 'workspaces', workspace, 'workspace');
    if ((await listRows(database, 'webhooks')).length >= LIMITS.webhooksMax)
      throw new HeadgateError('limit_reached', `There are at most ${LIMITS.webhooksMax} webhooks.`);
    await database.write([
      sql`INSERT INTO webhooks (id, workspace, url, format, kinds, secret, created)
          VALUES (${id}, ${workspace ?? null}, ${checkedUrl(url)}, ${format},
          ${checkedKinds(kinds).join(',')}, ${secret}, ${clock.now()})`,
    ]);
    return { secret, webhook: await get(id) };
  };
}

/** Puts one event into the queue of one webhook, once more if it was there. */
const deliver = (
  webhook: string,
  event: string,
  now: number,
): SqlStatement => sql`INSERT INTO deliveries (webhook, event, state, attempts, next, at)
    VALUES (${webhook}, ${event}, 'waiting', 0, ${now}, ${now}) ON CONFLICT (webhook, event) DO UPDATE
    SET state = 'waiting', attempts = 0, next = excluded.next`;

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  // As it was given: the guard checks the text before anybody tidies it up.
  if (isUsable && text.length <= LIMITS.urlCharsMax) return text;
  throw new HeadgateError('invalid_request', 'url: this is not an http or https address.', {
    remediation: 'Give the address of your receiver, without a user name.',
  });
}

function checkedKinds(kinds: string[]): string[] {
  const wrong = kinds.find((kind) => !(kind in EVENT_KINDS));
  if (wrong === undefined) return [...new Set(kinds)];
  throw new HeadgateError('invalid_request', own`"${named(wrong)}" is not a kind of event.`, {
    remediation: own`Use ${named(Object.keys(EVENT_KINDS).join(', '))}.`,
  });
}
