import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Database } from '../store/database.ts';
import type { LedgerAnswer, ReleaseOperation, SettleOperation } from '../store/ledger/types.ts';
import { refusalError } from './messages.ts';
import type { Settlement } from './settlement.ts';

type EndOperation = SettleOperation | ReleaseOperation;

export interface Outbox {
  /** Ends a hold. While the store is down the end is kept, because the work was done and its result must not be lost. */
  end(operation: EndOperation, credits: number): Promise<Settlement>;
  /** Tries again what could not be booked. */
  flush(): Promise<void>;
}

export function createOutbox(database: Database, log: Logger): Outbox {
  const kept = new Map<string, EndOperation>();
  return {
    end: async (operation, credits) => {
      try {
        return toSettlement(await database.book(operation));
      } catch (thrown) {
        const error = HeadgateError.from(thrown);
        // A hold that is neither kept here nor ended expires by itself, and is given back.
        if (error.code !== 'storage_unavailable' || kept.size >= LIMITS.outboxMax) throw error;
        kept.set(operation.id, operation);
        log.warn('booking_delayed', { hold: operation.id, kind: operation.kind, cause: error.message });
        const state = operation.kind === 'settle' ? 'settled' : 'released';
        return { credits, charged: 0, late: false, assumed: false, already: false, state, pending: true };
      }
    },
    flush: async () => {
      for (const [id, operation] of kept) {
        await database.book(operation);
        kept.delete(id);
      }
    },
  };
}

function toSettlement(answer: LedgerAnswer): Settlement {
  if (answer.status === 'resolved') {
    const { hold, balance, already } = answer;
    const [late, assumed] = [hold.late === 1, hold.assumed === 1];
    const { credits, charged, state } = hold;
    return { credits: credits ?? 0, charged, balance, late, assumed, already, state, pending: false };
  }
  if (answer.status === 'overflow' || answer.status === 'unknown') throw refusalError(answer, 0);
  throw new HeadgateError('internal', 'The store answered another question.');
}
