import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Millionths } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import type { Category, HoldOperation, LedgerAnswer } from '../store/ledger/types.ts';
import type { SettleOperation, Tiers } from '../store/ledger/types.ts';
import { checkedName, newId } from '../store/rows.ts';
import { refusalError } from './messages.ts';
import { createFreeCalls } from './free-calls.ts';
import { createOutbox } from './outbox.ts';
import { unwritten, type Settlement } from './settlement.ts';
import { createSolvency, type Solvency } from './solvency.ts';
import { createSubscriptionFinder } from './subscription-finder.ts';
import { createSweeper } from './sweeper.ts';
import { DEFAULT_TIERS, localTier, type PersonalLimits, type Prices } from './tiers.ts';

export interface HoldRequest {
  /** Whose limit and money. Without a workspace it is the person at this machine. */
  workspace?: string | undefined;
  agent?: string | undefined;
  /** The id of the API key, never the key. */
  key?: string | undefined;
  category: Category;
  provider: string;
  /** The most credits the call can cost. */
  credits: number;
  /** How long the hold lives when nobody ends it: the call's deadline and a minute, when that is longer than the default. */
  ttlMs?: number | undefined;
  idempotencyKey?: string | undefined;
  /** False for what goes round calls to providers, which count where they are made. */
  counts?: boolean;
  /** Written down at once even when it costs and counts nothing, because a limit depends on it. */
  recorded?: boolean;
  /** What was asked, as a short text: the same key with another fingerprint is refused. */
  fingerprint?: string | undefined;
}

/** Reserved money and count, to be settled or released exactly once. */
export interface Hold {
  id: string;
  workspace?: string | undefined;
  subscription: string;
  /** False when the call is free of limits and money, and nothing was written. */
  metered: boolean;
  /** True when the call is within the free allowance. */
  free: boolean;
  credits: number;
  amount: Millionths;
  expiresAt: number;
  /** The call ran before under this idempotency key: this is its answer, and there is nothing to settle. */
  replay?: string;
  /** What was asked, of a call that is free of limits and money. */
  asked?: HoldRequest;
}

/** A hold that is decided: work may begin, but nothing of it may be delivered before `durable` resolves. */
export interface BegunHold extends Hold {
  /** Rejects when the hold could not be written; then nothing is charged and the work must be thrown away. */
  durable: Promise<void>;
}

export interface Meter {
  /** Checks, counts and reserves in one atomic step, or throws what to do about it. Fails closed when the store is down. */
  hold(request: HoldRequest): Promise<Hold>;
  /** The same, told while the disk is still writing. */
  begin(request: HoldRequest): Promise<BegunHold>;
  /** Whether the account had so much a moment ago that a refusal is not to be expected. It is no promise. */
  isSolvent(request: HoldRequest): boolean;
  /** Books what was used. Anything but a whole number of credits keeps the estimate. `answer` is kept for the idempotency key. */
  settle(hold: Hold, credits?: unknown, answer?: string): Promise<Settlement>;
  /** Gives money and count back. */
  release(hold: Hold): Promise<Settlement>;
  /** Ends holds that nobody ended, and removes what is no longer needed. */
  sweep(): Promise<{ expired: number }>;
  /** Sweeps every half minute, and writes down calls without a price every second, until the signal fires. */
  sweepUntil(signal: AbortSignal): Promise<void>;
  /** Writes down the calls without a price that were only counted so far. */
  flush(): Promise<void>;
  /** What one call would cost, without taking anything. */
  price(provider: string, credits: number): Millionths;
}

export interface MeterOptions {
  database: Database;
  clock: Clock;
  log: Logger;
  tiers?: Tiers;
  prices: Prices;
  personal?: PersonalLimits;
}

export function createMeter(options: MeterOptions): Meter {
  const { database, clock, log } = options;
  const { prices } = options;
  /** `bridge/weather` has the price of `bridge` unless it has one of its own. */
  const price = (provider: string): Millionths =>
    prices[provider] ?? prices[provider.split('/', 1)[0] ?? ''] ?? 0;
  const subscriptionOf = createSubscriptionFinder(database, clock);
  const outbox = createOutbox(database, log);
  const sweeper = createSweeper({ database, clock, log, flush: () => outbox.flush() });
  const freeCalls = createFreeCalls({ database, clock, log, subscriptionOf });
  const operationOf = createHoldOperations(options, price, subscriptionOf);
  const solvency = createSolvency(clock);
  const isSolvent = ({ workspace, provider, credits }: HoldRequest): boolean =>
    solvency.covers(workspace, price(provider) * credits);
  return {
    price: (provider, credits) => price(provider) * credits,
    sweep: () => sweeper.sweep(),
    sweepUntil: async (signal) => {
      await Promise.all([sweeper.sweepUntil(signal), freeCalls.flushUntil(signal)]);
    },
    flush: () => freeCalls.flush(),
    ...createHolding({ database, clock, log, operationOf, solvency, isSolvent }),
    isSolvent,
    settle: async (hold, credits, answer) => {
      const used = usedCredits(credits);
      if (!hold.metered) {
        if (hold.asked !== undefined) freeCalls.note(hold.asked, false);
        return unwritten(used ?? hold.credits);
      }
      const operation: SettleOperation = {
        kind: 'settle',
        id: hold.id,
        subscription: hold.subscription,
        credits: used,
        answer: answer !== undefined && answer.length <= LIMITS.idempotencyAnswerCharsMax ? answer : null,
      };
      const settlement = await outbox.end(operation, used ?? hold.credits);
      solvency.note(hold, settlement);
      return settlement;
    },
    release: async (hold) => {
      if (!hold.metered) {
        if (hold.asked !== undefined) freeCalls.note(hold.asked, true);
        return unwritten(0);
      }
      return outbox.end({ kind: 'release', id: hold.id, subscription: hold.subscription }, 0);
    },
  };
}

/** What the store is asked for a call, at once where it is known whose call it is; undefined when it is free of limits and money. */
type OperationOf = (request: HoldRequest) => HoldOperation | undefined | Promise<HoldOperation>;

/** The two ways to begin: told when the hold is written, or while it is being written. */
function createHolding(
  parts: Pick<MeterOptions, 'database' | 'clock' | 'log'> & {
    operationOf: OperationOf;
    solvency: Solvency;
    isSolvent(request: HoldRequest): boolean;
  },
): Pick<Meter, 'hold' | 'begin'> {
  const { database, clock, log, operationOf, solvency, isSolvent } = parts;
  return {
    hold: async (request) => {
      const operation = await operationOf(request);
      if (operation === undefined) return unmetered(request);
      return toHold(await database.book(operation), { operation, clock, log });
    },
    begin: async (request) => {
      const found = operationOf(request);
      const operation = found instanceof Promise ? await found : found;
      if (operation === undefined) return { ...unmetered(request), durable: Promise.resolve() };
      const context = { operation, clock, log };
      if (isSolvent(request)) {
        // Its provider is asked already, so that nobody wants to know before the commit.
        const answer = await database.book(operation);
        if (answer.status !== 'held') solvency.forget(request.workspace);
        return { ...toHold(answer, context), durable: Promise.resolve() };
      }
      const { answer, committed } = await database.bookEarly(operation);
      if (answer.status !== 'held')
        return { ...toHold(await committed, context), durable: Promise.resolve() };
      // Whatever became of a hold that had to be tried again, it must still be one.
      const durable = committed.then((ended) => void toHold(ended, context));
      return { ...toHold(answer, context), durable };
    },
  };
}

function createHoldOperations(
  { clock, ...options }: MeterOptions,
  price: (provider: string) => Millionths,
  subscriptionOf: (workspace: string | undefined) => string | Promise<string>,
): OperationOf {
  const personal = options.personal ?? { callsPerDay: null, creditsPerDay: null };
  const tiers = { ...DEFAULT_TIERS, ...options.tiers, ...localTier(personal) };
  const hasPersonalLimit = personal.callsPerDay !== null || personal.creditsPerDay !== null;
  return (request) => {
    checkRequest(request);
    const isLocal = request.workspace === undefined;
    // A person's limit is on calls, whatever they cost; everybody else's on what has a price.
    const counted = request.counts !== false && (isLocal ? hasPersonalLimit : price(request.provider) > 0);
    if (!counted && request.idempotencyKey === undefined && request.recorded !== true) return undefined;
    const made = (subscription: string): HoldOperation => ({
      kind: 'hold',
      id: newId('hold', clock.now()),
      subscription,
      workspace: request.workspace ?? null,
      agent: request.agent ?? null,
      key: request.key ?? null,
      category: request.category,
      provider: request.provider,
      price: price(request.provider),
      credits: request.credits,
      counted,
      ttlMs: Math.min(Math.max(request.ttlMs ?? 0, LIMITS.holdTtlMs), LIMITS.holdTtlMaxMs),
      tiers,
      idempotency: idempotencyOf(request),
    });
    const subscription = subscriptionOf(request.workspace);
    return typeof subscription === 'string' ? made(subscription) : subscription.then(made);
  };
}

/** Only whole numbers from 0 up are believed; a provider's nonsense must neither charge nor lose the result. */
function usedCredits(credits: unknown): number | null {
  const isUsable =
    typeof credits === 'number' &&
    Number.isSafeInteger(credits) &&
    credits >= 0 &&
    credits <= LIMITS.creditsPerCallMax;
  return isUsable ? credits : null;
}

function checkRequest(request: HoldRequest): void {
  for (const name of ['workspace', 'agent', 'key', 'provider', 'idempotencyKey', 'fingerprint'] as const) {
    const value = request[name];
    if (value !== undefined) checkedName(value, name);
  }
  const { credits } = request;
  if (Number.isSafeInteger(credits) && credits >= 0 && credits <= LIMITS.creditsPerCallMax) return;
  throw new HeadgateError(
    'invalid_request',
    `The estimate must be 0–${LIMITS.creditsPerCallMax} whole credits.`,
    {
      remediation: 'Ask for less in one call.',
    },
  );
}

function idempotencyOf(request: HoldRequest) {
  if (request.idempotencyKey === undefined) return null;
  return {
    key: request.idempotencyKey,
    fingerprint: request.fingerprint ?? '',
    ttlMs: LIMITS.idempotencyTtlMs,
  };
}

function toHold(
  answer: LedgerAnswer,
  context: { operation: HoldOperation; clock: Clock; log: Logger },
): Hold {
  const { clock, log } = context;
  const { subscription } = context.operation;
  const workspace = context.operation.workspace ?? undefined;
  if (answer.status === 'held') {
    const { hold, behindMs } = answer;
    if (behindMs > LIMITS.clockBehindMs) log.error('clock_went_back', { behindMs, subscription });
    const { id, estimate, amount, expires } = hold;
    const isFree = hold.free === 1;
    const whose = { id, workspace, subscription };
    return { ...whose, metered: true, free: isFree, credits: estimate, amount, expiresAt: expires };
  }
  if (answer.status === 'replay') {
    if (answer.answer === null) throw answerNotKept();
    const nothing = { metered: false, free: true, credits: 0, amount: 0, expiresAt: clock.now() };
    return { ...nothing, id: answer.hold, subscription, replay: answer.answer };
  }
  if (answer.status === 'resolved' || answer.status === 'granted') {
    throw new HeadgateError('internal', 'The store answered another question.');
  }
  throw refusalError(answer, clock.now(), context.operation);
}

function answerNotKept(): HeadgateError {
  return new HeadgateError(
    'conflict',
    'This call ran before and was booked once, but its answer was not kept.',
    {
      remediation: 'Use a new idempotency key to run it again.',
    },
  );
}

function unmetered(request: HoldRequest): Hold {
  const { credits } = request;
  const nothing = { metered: false, free: true, amount: 0, expiresAt: 0 };
  return { ...nothing, id: '', subscription: '', credits, asked: request };
}
