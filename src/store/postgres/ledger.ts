import { HeadgateError } from '../../core/errors.ts';
import { decide } from '../ledger/ledger.ts';
import { keysOf } from '../ledger/keys.ts';
import type { LedgerAnswer, LedgerChanges, LedgerOperation, LedgerState } from '../ledger/types.ts';
import { packChanges } from './changes.ts';
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
    const request = JSON.stringify({ ...keysOf(operations), now: options.now() });
    const [, loaded] = await both(
      connection.query({ text: 'BEGIN' }),
      connection.query({ name: 'load', text: 'SELECT headgate_load($1::jsonb) AS state', values: [request] }),
    );
    const { state } = loaded.rows[0] as { state: LedgerState };
    const { answers, changes } = decide({ ...state, now: options.steady(state.now) }, operations);
    if (isNothing(changes)) {
      await connection.query({ text: 'COMMIT' });
      return answers;
    }
    const [saved, committed] = await both(
      connection.query({
        name: 'save',
        text: 'SELECT headgate_save($1, $2, $3::jsonb) AS sequence',
        values: [options.lane, acknowledged, packChanges(changes)],
      }),
      connection.query({ text: 'COMMIT' }),
    );
    if (committed.command !== 'COMMIT')
      throw new HeadgateError('internal', 'The commit was not carried out.');
    acknowledged = Number((saved.rows[0] as { sequence: string }).sequence);
    return answers;
  };
}

/** Waits for both, so that no rejection is unhandled, and throws the first. */
async function both<Result>(first: Promise<Result>, second: Promise<Result>): Promise<[Result, Result]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

const isNothing = (changes: LedgerChanges): boolean =>
  Object.values(changes).every((rows: unknown[]) => rows.length === 0);
