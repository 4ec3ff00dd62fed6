// The rules of the ledger, pure: rows in, answers and changed rows out. Both databases run exactly this code under
// their locks, so that there is one set of rules and a model test can try them without a database.
//
//   hold ──► open ──► settled    the provider answered: charged
//              │ ├──► released   it refused or failed, or was not asked
//              │ ├──► expired    nobody ended it, and it was never asked
//              │ └──► doubt      it was asked, and nobody knows whether it did the work
//              expired, doubt ──► settled, marked late: the answer came after all, and nobody else ended it
//
// Money and count are taken by `hold` and given back by everything but `settled`.
import { HOUR_MS, WINDOW_MS } from '../../core/window.ts';
import { isMillionths } from '../../core/money.ts';
import type { Account, BeginOperation, BegunRow, Charge, CommitOperation, EndedRow } from './types.ts';
import type { GrantOperation, HoldOperation, HoldRow, LedgerAnswer, LedgerChanges } from './types.ts';
import type {
  LedgerOperation,
  LedgerState,
  ReleaseOperation,
  ResolveOperation,
  LedgerStanding,
} from './types.ts';
import type { Tiers } from './types.ts';
import { type LedgerBook, openBook } from './book.ts';
import { budgetsFor, moveInBudgets, refusalOfBudgets } from './hold-budgets.ts';
import { noteBalance, standingOfBudgets, takeFromBudgets } from './hold-budgets.ts';

/** Decides the operations one after the other on the loaded state. */
export function decide(
  state: LedgerState,
  operations: readonly LedgerOperation[],
): { answers: LedgerAnswer[]; changes: LedgerChanges } {
  const book = openBook(state);
  const answers = operations.map((operation) => decideOne(book, operation));
  return { answers, changes: book.changes() };
}

function decideOne(book: LedgerBook, operation: LedgerOperation): LedgerAnswer {
  const account = book.account(operation.subscription);
  if (account === undefined) return { status: 'unknown', what: 'subscription' };
  const behindMs = Math.max(0, account.clock - account.ahead - book.now);
  const now = passTime(book, account);
  switch (operation.kind) {
    case 'begin':
      return decideBegin(book, account, operation, now);
    case 'hold':
      return decideHold(book, account, operation, now, behindMs);
    case 'commit':
      return decideCommit(book, account, operation, now);
    case 'grant':
      return decideGrant(book, account, operation);
    case 'resolve':
      return decideResolve(book, account, operation);
    case 'release':
    case 'expire':
    case 'doubt':
      return decideEnd(book, account, operation);
  }
}

/**
 * The account's own time, in which its calls are counted. It never goes back, so that a clock that is set back never reopens a window.
 * A clock that is behind by more than the window was wrong before or is wrong now: then the account's time goes on from where it was, at
 * the usual speed, so that nobody is refused for longer than the window. When the clock comes back to where it had been, nothing has passed.
 */
function passTime(book: LedgerBook, account: Account): number {
  const { clock } = account;
  let { ahead } = account;
  if (clock - (book.now + ahead) > WINDOW_MS) ahead = clock - book.now;
  else if (ahead > 0 && book.now >= clock - HOUR_MS && book.now + ahead - clock >= WINDOW_MS)
    ahead = Math.max(0, clock - book.now);
  const now = Math.max(clock, book.now + ahead);
  // While it is ahead, the time that passed is written down by every call, also by one that is refused.
  if (ahead > 0 || account.ahead > 0) {
    Object.assign(account, { clock: now, ahead });
    book.touch(account);
  }
  return now;
}

/** Something was booked at the account's own time. */
function touch(book: LedgerBook, account: Account): void {
  account.clock = Math.max(account.clock, book.now + account.ahead);
  book.touch(account);
}

function decideHold(
  book: LedgerBook,
  account: Account,
  operation: HoldOperation,
  now: number,
  behindMs: number,
): LedgerAnswer {
  const before = book.hold(operation.id);
  // Sent again: whoever has meanwhile ended it, by a clock that is far from this one, was told so.
  if (before !== undefined)
    return before.state === 'open'
      ? { status: 'held', hold: begunOf(before), behindMs }
      : { status: 'ended' };

  const tier = operation.tiers[account.tier];
  if (tier === undefined) return { status: 'unknown', what: 'tier' };
  const window = book.window(account.id, now);
  const inMs = (resetAt: number | null): number | null => (resetAt === null ? null : resetAt - now);
  const free = tier.callsFree === null || window.calls < tier.callsFree;
  if (operation.counted && !free && tier.beyond === 'block') {
    const limit = tier.callsFree ?? 0;
    const resetInMs = inMs(window.callsFreeAt(limit));
    return { status: 'limit', unit: 'calls', limit, used: window.calls, resetInMs };
  }
  if (tier.creditsMax !== null && window.credits + operation.credits > tier.creditsMax) {
    const limit = tier.creditsMax;
    const resetInMs = inMs(window.creditsFreeAt(limit - operation.credits));
    return { status: 'limit', unit: 'credits', limit, used: window.credits, resetInMs };
  }
  const budgets = budgetsFor(book, account, operation);
  const refusal = refusalOfBudgets(book, budgets, operation, () => touch(book, account));
  if (refusal !== undefined) return refusal;
  const amount = free || !operation.counted ? 0 : operation.credits * operation.price;
  if (!isMillionths(amount)) return { status: 'overflow' };
  const available = account.balance - account.reserved;
  if (amount > 0 && available < amount) {
    const limit = tier.callsFree ?? 0;
    return { status: 'insufficient', available, required: amount, limit, used: window.calls };
  }

  const hold = newHold(operation, { at: book.now, now, amount, free: free || !operation.counted });
  account.reserved += amount;
  touch(book, account);
  takeFromBudgets(book, budgets, hold);
  book.addHold(hold);
  if (hold.counted === 1) book.count(hold, 1, hold.estimate);
  return { status: 'held', hold: begunOf(hold), behindMs };
}

function newHold(
  operation: HoldOperation,
  made: { at: number; now: number; amount: number; free: boolean },
): HoldRow {
  return {
    id: operation.id,
    subscription: operation.subscription,
    workspace: operation.workspace,
    agent: operation.agent,
    key: operation.key,
    category: operation.category,
    provider: operation.provider,
    price: operation.price,
    estimate: operation.credits,
    amount: made.amount,
    free: made.free ? 1 : 0,
    counted: operation.counted ? 1 : 0,
    hour: Math.floor(made.now / HOUR_MS),
    state: 'open',
    asked: operation.asks ? made.at : null,
    credits: null,
    reported: null,
    charged: 0,
    late: 0,
    assumed: 0,
    created: made.at,
    expires: made.at + operation.ttlMs,
    resolved: null,
    reason: null,
    verdict: null,
    closed: null,
    budgets: null,
  };
}

/** A unit of work begins under a key, unless another one did before it. */
function decideBegin(
  book: LedgerBook,
  account: Account,
  operation: BeginOperation,
  now: number,
): LedgerAnswer {
  const { id, key, fingerprint, ttlMs } = operation;
  const record = book.remembered(account.id, key);
  const isTaken = record !== undefined && record.expires > book.now;
  // A key that is taken for longer than any may be is from a clock that was wrong. What was answered under it still holds.
  if (isTaken && (record.done === 1 || record.expires <= book.now + KEPT_MS_MAX)) {
    if (record.fingerprint !== fingerprint) return { status: 'mismatch' };
    if (record.done === 1)
      return { status: 'replay', answer: record.answer, ...standingOf(book, account, operation.tiers, now) };
    return record.hold === id ? { status: 'begun' } : { status: 'in_progress' };
  }
  const expires = book.now + ttlMs;
  book.remember({ subscription: account.id, key, fingerprint, hold: id, done: 0, answer: null, expires });
  return { status: 'begun' };
}

/** Why a request is in doubt that was answered. */
export const CHARGED_FIRST = 'Another call under the same idempotency key was charged first.';

/** No hold and no key is taken for longer. */
const KEPT_MS_MAX = 2 * WINDOW_MS;

/** Everything of one unit of work in one step: it is charged, and its key answers from now on, or nothing of it is. */
function decideCommit(
  book: LedgerBook,
  account: Account,
  operation: CommitOperation,
  now: number,
): LedgerAnswer {
  const { kept, charges } = operation;
  const holds = charges.flatMap((charge) => {
    const hold = book.hold(charge.hold);
    return hold === undefined || hold.subscription !== account.id ? [] : [{ hold, charge }];
  });
  if (holds.length < charges.length) return { status: 'unknown', what: 'hold' };
  const record = kept === null ? undefined : book.remembered(account.id, kept.key);
  const standing = () => ({
    ...standingOf(book, account, operation.tiers, now),
    ...standingOfBudgets(
      book,
      account,
      holds.map(({ hold }) => hold),
    ),
  });
  if (record !== undefined && record.done === 1 && record.hold !== operation.id) {
    const ended = holds.map(({ hold }) => end(book, account, hold, 'doubt', CHARGED_FIRST));
    // Two requests may run under one key when the first outlived its time.
    const replay = record.fingerprint === kept?.fingerprint ? record.answer : null;
    book.logCall(operation.call, ended);
    return { status: 'committed', holds: ended, replay, ...standing() };
  }
  const ended = holds.map(({ hold, charge }) => settle(book, account, hold, charge, operation.overageMax));
  book.logCall(operation.call, ended);
  if (kept !== null) {
    const { key, fingerprint, ttlMs, answer, failed } = kept;
    const own = { subscription: account.id, key, fingerprint, hold: operation.id };
    const isBooked = ended.some((one) => one.state === 'settled');
    // Nobody is given again what was not paid for.
    const isPaid = !failed && ended.every((one) => one.state === 'settled');
    if (isPaid || isBooked)
      book.remember({ ...own, done: 1, answer: isPaid ? answer : null, expires: book.now + ttlMs });
    // A call that came to nothing may be tried again under its key.
    else if (record?.hold === operation.id) book.forget(record);
  }
  return { status: 'committed', holds: ended, ...standing() };
}

function settle(
  book: LedgerBook,
  account: Account,
  hold: HoldRow,
  charge: Charge,
  overageMax: number,
): EndedRow {
  const isSwept = hold.state === 'expired' || (hold.state === 'doubt' && hold.verdict === null);
  // Work that was done after its hold was swept is still owed, once.
  if (hold.state !== 'open' && !isSwept) return endedOf(hold, true);
  const most = Math.max(hold.estimate, hold.estimate * overageMax);
  const reported = charge.credits ?? hold.estimate;
  let credits = Math.min(reported, most);
  // Never more than can be booked exactly; what was reserved always can be.
  if (!isMillionths(account.balance - credits * hold.price)) credits = Math.min(credits, hold.estimate);
  const charged = hold.free === 1 ? 0 : credits * hold.price;
  if (hold.counted === 1) {
    if (isSwept) book.count(hold, 1, credits);
    else book.count(hold, 0, credits - hold.estimate);
  }
  moveInBudgets(book, account, hold, { wasHeld: !isSwept, credits });
  if (!isSwept) account.reserved -= hold.amount;
  account.balance -= charged;
  touch(book, account);
  Object.assign(hold, {
    state: 'settled',
    credits,
    reported: reported > credits ? reported : null,
    charged,
    late: isSwept ? 1 : 0,
    assumed: charge.credits === null ? 1 : 0,
    resolved: book.now,
    reason: null,
  });
  book.resolve(hold);
  if (charged !== 0) {
    book.addRow(chargeRow(hold, account.balance, book.now));
    noteBalance(book, account, hold);
  }
  return endedOf(hold, false);
}

const chargeRow = (hold: HoldRow, balance: number, at: number) => {
  const { subscription, workspace, agent, key, provider, category, credits, reported } = hold;
  const notes = [
    ...(hold.late === 1 ? ['late'] : []),
    ...(reported === null ? [] : [`the provider reported ${reported} credits, ${credits} were charged`]),
  ];
  return {
    subscription,
    workspace,
    agent,
    key,
    provider,
    category,
    kind: 'charge' as const,
    amount: -hold.charged,
    balance,
    reference: hold.id,
    note: notes.length === 0 ? null : notes.join('; '),
    at,
  };
};

function decideEnd(book: LedgerBook, account: Account, operation: ReleaseOperation): LedgerAnswer {
  const hold = book.hold(operation.id);
  if (hold === undefined || hold.subscription !== account.id) return { status: 'unknown', what: 'hold' };
  const { kind, reason } = operation;
  const isOver = hold.expires <= book.now || hold.expires > book.now + KEPT_MS_MAX;
  if (kind === 'expire' && !isOver)
    return { status: 'resolved', hold: endedOf(hold, true), balance: account.balance };
  const asked = kind === 'doubt' || (kind === 'expire' && hold.asked !== null);
  const state = asked ? 'doubt' : kind === 'release' ? 'released' : 'expired';
  const ended = end(book, account, hold, state, asked ? (reason ?? NOBODY_ENDED_IT) : null);
  return { status: 'resolved', hold: ended, balance: account.balance };
}

const NOBODY_ENDED_IT = 'The gateway stopped before the provider answered.';

/** Gives money and count back; the count to the hour it was taken from. Whoever ends a hold first decides. */
function end(
  book: LedgerBook,
  account: Account,
  hold: HoldRow,
  state: 'released' | 'expired' | 'doubt',
  reason: string | null,
): EndedRow {
  if (hold.state !== 'open') return endedOf(hold, true);
  account.reserved -= hold.amount;
  if (hold.counted === 1) book.count(hold, -1, -hold.estimate);
  moveInBudgets(book, account, hold, { wasHeld: true, credits: null });
  touch(book, account);
  Object.assign(hold, { state, reason, resolved: book.now });
  book.resolve(hold);
  return endedOf(hold, false);
}

/** Says what became of a request in doubt. It moves no money: that went back to the account when the doubt arose. */
function decideResolve(book: LedgerBook, account: Account, operation: ResolveOperation): LedgerAnswer {
  const hold = book.hold(operation.id);
  if (hold === undefined || hold.subscription !== account.id || hold.state !== 'doubt')
    return { status: 'unknown', what: 'hold' };
  const already = hold.verdict !== null;
  if (!already) {
    const { verdict, credits } = operation;
    Object.assign(hold, { verdict, credits: verdict === 'billed' ? credits : null, closed: book.now });
    book.resolve(hold);
  }
  return { status: 'resolved', hold: endedOf(hold, already), balance: account.balance };
}

function standingOf(book: LedgerBook, account: Account, tiers: Tiers, now: number): LedgerStanding {
  const callsFree = tiers[account.tier]?.callsFree ?? null;
  const callsLeft = callsFree === null ? null : Math.max(0, callsFree - book.window(account.id, now).calls);
  return { balance: account.balance, callsLeft };
}

const begunOf = ({ id, estimate, amount, free, expires }: HoldRow): BegunRow => ({
  id,
  estimate,
  amount,
  free,
  expires,
});

const endedOf = (hold: HoldRow, already: boolean): EndedRow => {
  const { id, state, credits, reported, charged, free, late, assumed } = hold;
  return { id, state, credits, reported, charged, free, late, assumed, already };
};

function decideGrant(book: LedgerBook, account: Account, operation: GrantOperation): LedgerAnswer {
  if (book.isGranted(account.id, operation.reference)) {
    return { status: 'granted', balance: account.balance, already: true };
  }
  const balance = account.balance + operation.amount;
  if (!isMillionths(operation.amount) || !isMillionths(balance)) return { status: 'overflow' };
  account.balance = balance;
  touch(book, account);
  book.addRow({
    subscription: account.id,
    kind: operation.amount < 0 ? 'correction' : 'grant',
    amount: operation.amount,
    balance,
    reference: operation.reference,
    workspace: null,
    agent: null,
    key: null,
    provider: null,
    category: null,
    note: operation.note,
    at: book.now,
  });
  return { status: 'granted', balance, already: false };
}
