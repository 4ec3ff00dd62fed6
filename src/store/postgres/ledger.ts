import type { QueryResult } from 'pg';
import { HeadgateError } from '../../core/errors.ts';
import { EVENT_COLUMNS } from '../ledger/columns.ts';
import { decide } from '../ledger/ledger.ts';
import { keysOf } from '../ledger/keys.ts';
import type { EventRow, LedgerAnswer, LedgerChanges, LedgerOperation, LedgerState } from '../ledger/types.ts';
import { insertCalls, packChanges } from './changes.ts';
import type { PostgresConnection } from './pool.ts';

/** Books a batch in one transaction of two round trips: lock and load, then save and commit. */
export function createPostgresLedger(options: {
  /** The row in which the commits of this lane are counted. */
  lane: string;
  /** The time to decide by; the server's own when undefined. */
  now(): number | undefined;
  /** Converts the server's clock to a time that never goes back. */
  steady(wall: number): number;
}): (connection: PostgresConnection, operations: LedgerOperation[]) => Promise<LedgerAnswer[]> {
  let acknowledged = 0;
  return async (connection, operations) => {
    const keys = keysOf(operations);
    const request = JSON.stringify({ ...keys, now: options.now() });
    const [, loaded] = await inOrder([
      connection.query({ text: 'BEGIN' }),
      connection.query({ name: 'load', text: 'SELECT headgate_load($1::jsonb) AS state', values: [request] }),
    ]);
    const { state } = loaded.rows[0] as { state: LedgerState };
    const now = options.steady(state.now);
    const { answers, changes } = decide({ ...state, now }, operations);
    if (isNothing(changes)) {
      await connection.query({ text: 'COMMIT' });
      return answers;
    }
    const [saved, ...others] = await inOrder([
      connection.query({
        name: 'save',
        text: 'SELECT headgate_save($1, $2, $3::jsonb) AS sequence',
        values: [options.lane, acknowledged, packChanges(changes)],
      }),
      ...(changes.events.length === 0 ? [] : [connection.query(insertEvents(changes.events))]),
      ...(changes.calls.length === 0 ? [] : [connection.query(insertCalls(changes.calls))]),
      connection.query({ text: 'COMMIT' }),
    ]);
    if (others.at(-1)?.command !== 'COMMIT')
      throw new HeadgateError('internal', 'The commit was not carried out.');
    acknowledged = Number((saved.rows[0] as { sequence: string }).sequence);
    return answers;
  };
}

const EVENTS = `INSERT INTO events (${EVENT_COLUMNS.join(', ')}) SELECT ${EVENT_COLUMNS.join(', ')}
  FROM jsonb_populate_recordset(NULL::events, $1::jsonb) ON CONFLICT DO NOTHING`;

/** Few batches have any, so they are not in the function that saves the rest. */
const insertEvents = (events: EventRow[]) => ({
  name: 'events',
  text: EVENTS,
  values: [JSON.stringify(events)],
});

/** Waits for all, so that no rejection is unhandled, and throws the first. */
async function inOrder<Queries extends Promise<QueryResult>[]>(
  queries: [...Queries],
): Promise<{ [At in keyof Queries]: QueryResult }> {
  await Promise.allSettled(queries);
  return Promise.all(queries);
}

const isNothing = (changes: LedgerChanges): boolean =>
  Object.values(changes).every((rows: unknown[]) => rows.length === 0);
