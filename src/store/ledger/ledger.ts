// The rules of the ledger, pure: rows in, answers and changed rows out. Both databases run exactly this code under
// their locks, so that there is one set of rules and a model test can try them without a database.
import { isMillionths } from '../../core/money.ts';
import type { Account, BegunRow, EndedRow, GrantOperation, HoldOperation } from './types.ts';
import type { HoldRow, LedgerAnswer } from './types.ts';
import type { LedgerChanges, LedgerOperation, LedgerState, ReleaseOperation } from './types.ts';
import type { SettleOperation } from './types.ts';
import { HOUR_MS } from './types.ts';
import { type LedgerBook, openBook } from './book.ts';

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
  switch (operation.kind) {
    case 'hold':
      return decideHold(book, account, operation);
    case 'grant':
      return decideGrant(book, account, operation);
    case 'settle':
    case 'release':
    case 'expire':
      return decideEnd(book, account, operation);
  }
}

function decideHold(book: LedgerBook, account: Account, operation: HoldOperation): LedgerAnswer {
  const behindMs = Math.max(0, account.clock - book.now);
  // A clock that goes back never reopens a past window: the account's own time only goes forward.
  const now = Math.max(account.clock, book.now);
  const before = book.hold(operation.id);
  if (before !== undefined) return { status: 'held', hold: begunOf(before), behindMs };
  const known = decideKnown(book, operation, now);
  if (known !== undefined) return known;

  const tier = operation.tiers[account.tier];
  if (tier === undefined) return { status: 'unknown', what: 'tier' };
  const window = book.window(account.id, now);
  const free = tier.callsFree === null || window.calls < tier.callsFree;
  if (operation.counted && !free && tier.beyond === 'block') {
    const limit = tier.callsFree ?? 0;
    return { status: 'limit', unit: 'calls', limit, used: window.calls, resetAt: window.callsFreeAt(limit) };
  }
  if (tier.creditsMax !== null && window.credits + operation.credits > tier.creditsMax) {
    const limit = tier.creditsMax;
    const resetAt = window.creditsFreeAt(limit - operation.credits);
    return { status: 'limit', unit: 'credits', limit, used: window.credits, resetAt };
  }
  const amount = free || !operation.counted ? 0 : operation.credits * operation.price;
  if (!isMillionths(amount)) return { status: 'overflow' };
  const available = account.balance - account.reserved;
  if (amount > 0 && available < amount) {
    const limit = tier.callsFree ?? 0;
    return { status: 'insufficient', available, required: amount, limit, used: window.calls };
  }

  const hold = newHold(operation, { now, amount, free: free || !operation.counted });
  account.reserved += amount;
  account.clock = now;
  book.touch(account);
  book.addHold(hold);
  if (hold.counted === 1) book.count(hold, 1, hold.estimate);
  if (operation.idempotency !== null) {
    const { key, fingerprint, ttlMs } = operation.idempotency;
    const expires = now + ttlMs;
    book.remember({
      subscription: account.id,
      key,
      fingerprint,
      hold: hold.id,
      done: 0,
      answer: null,
      expires,
    });
  }
  return { status: 'held', hold: begunOf(hold), behindMs };
}

/** The answer to a call that was asked before under the same idempotency key. */
function decideKnown(book: LedgerBook, operation: HoldOperation, now: number): LedgerAnswer | undefined {
  if (operation.idempotency === null) return undefined;
  const record = book.remembered(operation.subscription, operation.idempotency.key);
  if (record === undefined || record.expires <= now) return undefined;
  if (record.fingerprint !== operation.idempotency.fingerprint) return { status: 'mismatch' };
  if (record.done === 0) return { status: 'in_progress', hold: record.hold };
  return { status: 'replay', hold: record.hold, answer: record.answer };
}

function newHold(operation: HoldOperation, made: { now: number; amount: number; free: boolean }): HoldRow {
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
    credits: null,
    charged: 0,
    late: 0,
    assumed: 0,
    idempotency: operation.idempotency?.key ?? null,
    created: made.now,
    expires: made.now + operation.ttlMs,
    resolved: null,
  };
}

function decideEnd(
  book: LedgerBook,
  account: Account,
  operation: SettleOperation | ReleaseOperation,
): LedgerAnswer {
  const hold = book.hold(operation.id);
  if (hold === undefined || hold.subscription !== account.id) return { status: 'unknown', what: 'hold' };
  const now = Math.max(account.clock, book.now);
  const ended = { status: 'resolved', hold: endedOf(hold), balance: account.balance, already: true } as const;
  if (operation.kind === 'settle') {
    // Work that was done after its hold expired is still owed, once.
    if (hold.state !== 'open' && hold.state !== 'expired') return ended;
    // Another call under the same key was booked in the meantime: this one is not booked again.
    if (isBookedElsewhere(book, hold)) return end(book, account, hold, 'released', now);
    return settle(book, account, hold, operation, now);
  }
  if (hold.state !== 'open') return ended;
  if (operation.kind === 'expire' && hold.expires > now) return ended;
  return end(book, account, hold, operation.kind === 'expire' ? 'expired' : 'released', now);
}

function settle(
  book: LedgerBook,
  account: Account,
  hold: HoldRow,
  operation: SettleOperation,
  now: number,
): LedgerAnswer {
  const credits = operation.credits ?? hold.estimate;
  const charged = hold.free === 1 ? 0 : credits * hold.price;
  if (!isMillionths(charged) || !isMillionths(account.balance - charged)) return { status: 'overflow' };
  const late = hold.state === 'expired';
  if (hold.counted === 1) {
    if (late) book.count(hold, 1, credits);
    else book.count(hold, 0, credits - hold.estimate);
  }
  if (!late) account.reserved -= hold.amount;
  account.balance -= charged;
  account.clock = now;
  book.touch(account);
  Object.assign(hold, {
    state: 'settled',
    credits,
    charged,
    late: late ? 1 : 0,
    assumed: operation.credits === null ? 1 : 0,
    resolved: now,
  });
  book.resolve(hold);
  if (charged !== 0) {
    const { subscription, workspace, agent, key, provider, category } = hold;
    book.addRow({
      subscription,
      workspace,
      agent,
      key,
      provider,
      category,
      kind: 'charge',
      amount: -charged,
      balance: account.balance,
      reference: hold.id,
      note: late ? 'late' : null,
      at: now,
    });
  }
  if (hold.idempotency !== null) {
    const record = book.remembered(hold.subscription, hold.idempotency);
    if (record !== undefined) book.remember({ ...record, hold: hold.id, done: 1, answer: operation.answer });
  }
  return { status: 'resolved', hold: endedOf(hold), balance: account.balance, already: false };
}

/** Gives money and count back; the count to the hour it was taken from. */
function end(
  book: LedgerBook,
  account: Account,
  hold: HoldRow,
  state: 'released' | 'expired',
  now: number,
): LedgerAnswer {
  if (hold.state === 'open') {
    account.reserved -= hold.amount;
    if (hold.counted === 1) book.count(hold, -1, -hold.estimate);
  }
  account.clock = now;
  book.touch(account);
  Object.assign(hold, { state, resolved: now });
  book.resolve(hold);
  // A call that came to nothing may be tried again under its key.
  const record = hold.idempotency === null ? undefined : book.remembered(hold.subscription, hold.idempotency);
  if (record !== undefined && record.hold === hold.id && record.done === 0) book.forget(record);
  return { status: 'resolved', hold: endedOf(hold), balance: account.balance, already: false };
}

const begunOf = ({ id, estimate, amount, free, expires }: HoldRow): BegunRow => ({
  id,
  estimate,
  amount,
  free,
  expires,
});

const endedOf = ({ id, state, credits, charged, late, assumed }: HoldRow): EndedRow => ({
  id,
  state,
  credits,
  charged,
  late,
  assumed,
});

function isBookedElsewhere(book: LedgerBook, hold: HoldRow): boolean {
  if (hold.idempotency === null) return false;
  const record = book.remembered(hold.subscription, hold.idempotency);
  return record !== undefined && record.done === 1 && record.hold !== hold.id;
}

function decideGrant(book: LedgerBook, account: Account, operation: GrantOperation): LedgerAnswer {
  if (book.isGranted(account.id, operation.reference)) {
    return { status: 'granted', balance: account.balance, already: true };
  }
  const balance = account.balance + operation.amount;
  if (!isMillionths(operation.amount) || !isMillionths(balance)) return { status: 'overflow' };
  account.balance = balance;
  account.clock = Math.max(account.clock, book.now);
  book.touch(account);
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
    at: account.clock,
  });
  return { status: 'granted', balance, already: false };
}
