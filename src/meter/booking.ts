import type { CallLog, CallRow } from '../core/call-row.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { BudgetLeft, Committed } from '../core/unit-of-work.ts';
import type { Database } from '../store/database.ts';
import type { BudgetStanding } from '../store/ledger/budget.ts';
import type {
  CommitOperation,
  EndedRow,
  LedgerAnswer,
  ReleaseOperation,
  Tiers,
} from '../store/ledger/types.ts';
import type { FreeCalls } from './free-calls.ts';
import type { Books, HeldCharge, Hold, KeptKey } from './books.ts';
import { answeredTooLate, answerNotKept, bookingLost, refusalError } from './messages.ts';
import { type Settlement, settlementOf, unwritten } from './settlement.ts';

type Committing = Extract<LedgerAnswer, { status: 'committed' }>;

interface BookingParts {
  database: Database;
  log: Logger;
  freeCalls: FreeCalls;
  tiers: Tiers;
  overageMax: number;
  calls: CallLog | undefined;
}

/** Ends holds. If a charge cannot be written, its result is withheld and the hold is released later. */
export function createBooking(parts: BookingParts): {
  ends: Pick<Books, 'commit' | 'settle' | 'release' | 'doubt'>;
  retry(): Promise<void>;
} {
  const { freeCalls, calls } = parts;
  const unended = createUnended(parts.database);
  const book = createCommits(parts, unended);
  const end = createEnds(parts, unended);
  return {
    retry: () => unended.retry(),
    ends: {
      commit: async ({ id, charges, kept, call }) => {
        for (const { hold } of charges) if (!hold.metered) freeCalls.note(hold.request, false);
        const metered = charges.filter(({ hold }) => hold.metered);
        // A call that charges nothing is logged with others.
        if (metered.length === 0 && call !== undefined) calls?.note(call);
        const subscription = kept?.subscription ?? metered[0]?.hold.subscription;
        if (subscription === undefined) return { receipt: { credits: 0, charged: 0, free: true } };
        const committed = await book({ id, subscription, call }, metered, keptOf(kept));
        const replay = committed.replay ?? undefined;
        if (committed.replay === null) throw answerNotKept();
        if (replay === undefined && committed.holds.some((hold) => hold.state !== 'settled'))
          throw answeredTooLate();
        return { receipt: receiptOf(committed), ...(replay === undefined ? {} : { replay }) };
      },
      settle: async (hold, credits, call) => {
        if (!hold.metered) {
          if (call !== undefined) calls?.note(call);
          freeCalls.note(hold.request, false);
          return unwritten(usedCredits(credits) ?? hold.credits);
        }
        const { holds, balance } = await book({ ...hold, call }, [{ hold, credits }], null);
        const [row] = holds;
        if (row === undefined) throw new HeadgateError('internal', 'The store lost a booking.');
        if (row.state !== 'settled') throw answeredTooLate();
        return settlementOf(row, balance);
      },
      release: (hold) => end(hold, 'release'),
      doubt: (hold, reason) => end(hold, 'doubt', reason),
    },
  };
}

/** Releases that could not be written. In memory only: after a crash the sweeper ends the holds instead. */
function createUnended(database: Database) {
  const unended = new Map<string, ReleaseOperation>();
  return {
    keep: (operation: ReleaseOperation): void => {
      if (unended.size < LIMITS.outboxMax) unended.set(operation.id, operation);
    },
    retry: async (): Promise<void> => {
      for (const [id, operation] of unended) {
        await database.book(operation);
        unended.delete(id);
      }
    },
  };
}

type Unended = ReturnType<typeof createUnended>;

const isStoreGone = (thrown: unknown): boolean => HeadgateError.from(thrown).code === 'storage_unavailable';

/** Books charges and an idempotency key in one commit. */
function createCommits({ database, log, tiers, overageMax }: BookingParts, unended: Unended) {
  const warn = (charges: HeldCharge[], { id, reported, credits: charged }: EndedRow): void => {
    if (reported === null) return;
    const provider = charges.find(({ hold }) => hold.id === id)?.hold.request.provider;
    log.warn('overage_not_charged', { hold: id, provider, reported, charged });
  };
  return async (
    { id, subscription, call }: { id: string; subscription: string; call: CallRow | undefined },
    charges: HeldCharge[],
    kept: CommitOperation['kept'],
  ): Promise<Committing> => {
    const used = charges.map(({ hold, credits }) => ({ hold: hold.id, credits: usedCredits(credits) }));
    const logged = call === undefined || used.length === 0 ? {} : { call };
    const unit = {
      kind: 'commit',
      id,
      subscription,
      charges: used,
      kept,
      tiers,
      overageMax,
      ...logged,
    } as const;
    try {
      const answer = await database.book(unit);
      if (answer.status !== 'committed') throw refused(answer);
      for (const row of answer.holds) warn(charges, row);
      return answer;
    } catch (thrown) {
      if (!isStoreGone(thrown)) throw thrown;
      const reason = 'The provider answered, but the charge could not be written.';
      for (const { hold } of charges)
        unended.keep({ kind: 'doubt', id: hold.id, subscription: hold.subscription, reason });
      log.error('booking_lost', { holds: charges.length, cause: HeadgateError.from(thrown).message });
      throw bookingLost(thrown);
    }
  };
}

/** Releases a hold. */
function createEnds({ database, log, freeCalls }: BookingParts, unended: Unended) {
  return async (hold: Hold, kind: 'release' | 'doubt', reason?: string): Promise<Settlement> => {
    if (!hold.metered) {
      freeCalls.note(hold.request, true);
      return unwritten(0);
    }
    const { id, subscription } = hold;
    const operation = { kind, id, subscription, ...(reason === undefined ? {} : { reason }) };
    try {
      if (kind === 'doubt')
        log.warn('request_in_doubt', { hold: id, provider: hold.request.provider, reason });
      const answer = await database.book(operation);
      if (answer.status !== 'resolved') throw refused(answer);
      return settlementOf(answer.hold, answer.balance);
    } catch (thrown) {
      if (isStoreGone(thrown)) unended.keep(operation);
      throw thrown;
    }
  };
}

function keptOf(
  kept: (KeptKey & { answer: string | null; failed: boolean }) | null,
): CommitOperation['kept'] {
  if (kept === null) return null;
  const { key, fingerprint, failed } = kept;
  const isKeepable = kept.answer !== null && kept.answer.length <= LIMITS.idempotencyAnswerCharsMax;
  const answer = isKeepable ? kept.answer : null;
  return { key, fingerprint, ttlMs: LIMITS.idempotencyTtlMs, answer, failed };
}

function receiptOf({ holds, balance, callsLeft, budget }: Committing): Committed['receipt'] {
  // Also what was settled already: after a lost connection a commit is sent again.
  const own = holds.filter((hold) => hold.state === 'settled');
  return {
    credits: own.reduce((sum, hold) => sum + (hold.credits ?? 0), 0),
    charged: own.reduce((sum, hold) => sum + hold.charged, 0),
    free: own.every((hold) => hold.free === 1),
    balanceAfter: balance,
    callsLeft,
    ...(budget === undefined ? {} : { budget: budgetLeft(budget) }),
  };
}

const budgetLeft = ({ level, subject, unit, amount, used, renewsInMs }: BudgetStanding): BudgetLeft => {
  return { level, subject, unit, left: amount - used, amount, renewsInMs };
};

function refused(answer: LedgerAnswer): HeadgateError {
  if (answer.status === 'overflow' || answer.status === 'unknown') return refusalError(answer, 0);
  return new HeadgateError('internal', 'The store answered another question.');
}

/** Accepts only whole numbers from 0; an invalid report must neither charge nor lose the result. */
function usedCredits(credits: unknown): number | null {
  const isUsable = typeof credits === 'number' && Number.isSafeInteger(credits) && credits >= 0;
  return isUsable ? credits : null;
}
