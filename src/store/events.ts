import { LIMITS } from '../core/limits.ts';
import type { Database, SqlStatement } from './database.ts';
import { EVENT_COLUMNS } from './ledger/columns.ts';
import { eventId } from './ledger/hold-budgets.ts';
import type { EventRow } from './ledger/types.ts';
import { integerColumn, isIn, jsonColumn, rowReader, textColumn, textOrNull } from './rows.ts';

/** Every kind of event, with what it says. */
export const EVENT_KINDS = {
  'budget.threshold': 'A budget reached 50, 80 or 100 percent.',
  'budget.exhausted': 'A call was refused because a budget is used up.',
  'balance.exhausted': 'The balance does not cover another credit.',
  'balance.days_left': 'At the rate of the last day, the balance lasts 7, 3 or 1 days.',
  'key.created': 'An API key was created.',
  'key.revoked': 'An API key was revoked.',
  'key.expiring': 'An API key expires within seven days.',
  'provider.down': 'A provider stopped answering.',
  'provider.up': 'A provider answers again.',
  'provider.key_exhausted': 'A provider refused one of its keys because its quota is used up.',
  'calls.failing': 'At least half of the calls of a workspace failed within ten minutes.',
  'policy.denied': 'Rules of the policy refused or reported something within an hour.',
  'research.done': 'A research is over.',
  'crawl.done': 'A crawl is over.',
  'webhook.test': 'Somebody tested a webhook.',
} as const;
export type EventKind = keyof typeof EVENT_KINDS;

/** An event as operators and receivers see it. */
export type AlertEvent = ReturnType<typeof toEvent>;

export const toEvent = rowReader({
  id: textColumn,
  kind: textColumn,
  subject: textColumn,
  workspace: textOrNull,
  data: jsonColumn<Record<string, unknown>>(),
  at: integerColumn,
});

/** Writes an event unless it is there, and only when the condition holds. For the transaction of what it reports. */
export function noteEvent(
  event: Omit<EventRow, 'id' | 'data' | 'kind'> & { kind: EventKind; data: object },
  when: SqlStatement = { sql: '1 = 1', values: [] },
): SqlStatement {
  const { kind, subject, period, threshold, workspace, data, at } = event;
  const id = eventId(subject, kind, period, threshold);
  const given = EVENT_COLUMNS.map((name) => `CAST(? AS ${NUMBERS.has(name) ? 'BIGINT' : 'TEXT'})`);
  return {
    sql: `INSERT INTO events (${EVENT_COLUMNS.join(', ')}) SELECT ${given.join(', ')} WHERE ${when.sql}
          ON CONFLICT DO NOTHING`,
    values: [
      id,
      kind,
      subject,
      period,
      threshold,
      workspace,
      JSON.stringify(data),
      at,
      ...(when.values ?? []),
    ],
  };
}
const NUMBERS: ReadonlySet<string> = new Set(['period', 'threshold', 'at']);

/** The latest events of these workspaces, or of all and of the gateway itself. */
export async function listEvents(
  database: Database,
  workspaces?: string | readonly string[],
): Promise<AlertEvent[]> {
  const ids = workspaces === undefined ? [] : [workspaces].flat();
  const where = workspaces === undefined ? '1 = 1' : isIn('workspace', ids);
  const sql = `SELECT * FROM events WHERE ${where} ORDER BY at DESC, id LIMIT ?`;
  return (await database.read(sql, ...ids, LIMITS.eventsShownMax)).map(toEvent);
}
