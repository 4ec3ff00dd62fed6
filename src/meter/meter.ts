import type { Caller } from '../core/call.ts';
import { createSteadyTime, type Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Millionths } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import type { HoldOperation, LedgerAnswer, Tiers } from '../store/ledger/types.ts';
import { checkedName, newId } from '../store/rows.ts';
import { answerNotKept, refusalError } from './messages.ts';
import type { Books, Hold, HoldRequest } from './books.ts';
import { createBooking } from './booking.ts';
import type { WrittenCallLog } from './call-log.ts';
import { createFreeCalls } from './free-calls.ts';
import { createHearing } from './hearing.ts';
import { createSubscriptionFinder } from './subscription-finder.ts';
import { createSweeper } from './sweeper.ts';
import { DEFAULT_TIERS, localTier, type PersonalLimits, type Prices } from './tiers.ts';

export type { Hold };

export interface Meter extends Books {
  /** Ends abandoned holds and removes expired rows. */
  sweep(): Promise<{ expired: number }>;
  /** Sweeps every half minute, and writes free calls every second, until the signal fires. */
  sweepUntil(signal: AbortSignal): Promise<void>;
  /** Writes what is only in memory: free calls, and rows of the call log. */
  flush(): Promise<void>;
  /** The price of a call, without reserving anything. */
  price(provider: string, credits: number): Millionths;
  /** Ends pending requests as in doubt, and writes the rest. */
  close(): Promise<void>;
}

export interface MeterOptions {
  database: Database;
  clock: Clock;
  log: Logger;
  tiers?: Tiers;
  prices: Prices;
  /** What a million tokens of the language model cost. */
  tokenPrices?: { input: Millionths; output: Millionths };
  personal?: PersonalLimits;
  /** The most to charge, as a multiple of the reservation, whatever a provider reports. */
  overageMax?: number;
  /** Without it, calls are not logged. */
  calls?: WrittenCallLog;
}

export function createMeter(options: MeterOptions): Meter {
  const { database, clock, log, prices, calls, overageMax = LIMITS.overageMax } = options;
  /** `bridge/weather` has the price of `bridge` unless it has one of its own. */
  const price = (provider: string): Millionths =>
    prices[provider] ?? prices[provider.split('/', 1)[0] ?? ''] ?? 0;
  const personal = options.personal ?? { callsPerDay: null, creditsPerDay: null };
  const tiers = { ...DEFAULT_TIERS, ...options.tiers, ...localTier(personal) };
  const subscriptionOf = createSubscriptionFinder(database, clock);
  const freeCalls = createFreeCalls({ database, clock, log, subscriptionOf });
  const booking = createBooking({ database, log, freeCalls, tiers, overageMax, calls });
  const trim = async () => calls?.trim();
  const sweeper = createSweeper({ database, clock, log, flush: () => booking.retry(), trim });
  const operationOf = createHoldOperations({ clock, personal, tiers, price, subscriptionOf });
  const hearing = createHearing();
  const watchClock = createClockWatch(clock, log);
  return {
    price: (provider, credits) => price(provider) * credits,
    hearing,
    calls,
    noteTokens: ({ workspace, agent, key }, model, { input, output }) => {
      const { input: perInput, output: perOutput } = options.tokenPrices ?? { input: 0, output: 0 };
      const cost = Math.round((input * perInput + output * perOutput) / 1_000_000);
      freeCalls.noteTokens({ workspace, agent, key, provider: model }, { input, output, cost });
    },
    sweep: () => sweeper.sweep(),
    sweepUntil: async (signal) => {
      await Promise.all([sweeper.sweepUntil(signal), freeCalls.flushUntil(signal)]);
    },
    flush: async () => void (await Promise.all([freeCalls.flush(), calls?.flush()])),
    close: async () => {
      await hearing.close();
      await freeCalls.flush();
      await calls?.flush();
    },
    open: async ({ caller, idempotencyKey, fingerprint = '', ttlMs = LIMITS.holdTtlMs }) => {
      const id = newId('unit', clock.now());
      if (idempotencyKey === undefined) return { id, kept: null };
      const subscription = await subscriptionOf(caller.workspace);
      const key = keyOf(caller, idempotencyKey);
      const begin = { kind: 'begin', id, subscription, key, fingerprint, ttlMs, tiers } as const;
      const answer = await database.book(begin);
      if (answer.status === 'begun') return { id, kept: { subscription, key, fingerprint } };
      if (answer.status !== 'replay') throw refusalOf(answer, clock.now());
      if (answer.answer === null) throw answerNotKept();
      const { balance: balanceAfter, callsLeft } = answer;
      return {
        replay: answer.answer,
        receipt: { credits: 0, charged: 0, free: true, balanceAfter, callsLeft },
      };
    },
    hold: async (request) => {
      const isPriced = price(request.provider) > 0;
      const operation = await operationOf(request);
      if (operation === undefined) return unmetered(request, isPriced);
      const answer = await database.book(operation);
      if (answer.status !== 'held') throw refusalOf(answer, clock.now(), operation);
      const { id, estimate: credits, amount, free, expires: expiresAt } = answer.hold;
      watchClock(answer.behindMs, operation.subscription);
      const booked = { id, subscription: operation.subscription, credits, amount, expiresAt };
      return { ...booked, metered: true, isPriced, free: free === 1, request };
    },
    ...booking.ends,
  };
}

/** Idempotency keys are scoped to workspace, API key and agent. */
const keyOf = ({ workspace = '', key = '', agent = '' }: Caller, idempotencyKey: string): string =>
  `${workspace} ${key} ${agent} ${checkedName(idempotencyKey, 'idempotency key')}`;

/** The ledger operation for a call; undefined when it is free and unlimited. */
function createHoldOperations(parts: {
  clock: Clock;
  personal: PersonalLimits;
  tiers: Tiers;
  price(provider: string): Millionths;
  subscriptionOf(workspace: string | undefined): string | Promise<string>;
}): (request: HoldRequest) => Promise<HoldOperation | undefined> {
  const { clock, personal, tiers, price, subscriptionOf } = parts;
  const hasPersonalLimit = personal.callsPerDay !== null || personal.creditsPerDay !== null;
  return async (request) => {
    checkRequest(request);
    const isLocal = request.workspace === undefined;
    // A personal limit counts all calls; other limits count only priced ones.
    const counted = isLocal ? hasPersonalLimit : price(request.provider) > 0;
    if (!counted && request.recorded !== true) return undefined;
    const subscription = subscriptionOf(request.workspace);
    return {
      kind: 'hold',
      id: newId('hold', clock.now()),
      subscription: typeof subscription === 'string' ? subscription : await subscription,
      workspace: request.workspace ?? null,
      agent: request.agent ?? null,
      key: request.key ?? null,
      person: request.person ?? null,
      category: request.category,
      provider: request.provider,
      price: price(request.provider),
      credits: request.credits,
      counted,
      asks: request.asks === true,
      ttlMs: Math.min(Math.max(request.ttlMs ?? 0, LIMITS.holdTtlMs), LIMITS.holdTtlMaxMs),
      tiers,
    };
  };
}

/** Logs an alarm when the time used for counting is ahead of the clock. */
function createClockWatch(clock: Clock, log: Logger) {
  const steady = createSteadyTime(clock);
  return (behindStoreMs: number, subscription: string): void => {
    const now = clock.now();
    const behindMs = Math.max(behindStoreMs, steady(now) - now);
    if (behindMs > LIMITS.clockBehindMs) log.error('clock_went_back', { behindMs, subscription });
  };
}

function checkRequest(request: HoldRequest): void {
  for (const name of ['workspace', 'agent', 'key', 'person', 'provider'] as const) {
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

function refusalOf(answer: LedgerAnswer, now: number, asked?: HoldOperation): HeadgateError {
  switch (answer.status) {
    case 'held':
    case 'begun':
    case 'replay':
    case 'committed':
    case 'resolved':
    case 'granted':
      return new HeadgateError('internal', 'The store answered another question.');
    default:
      return refusalError(answer, now, asked);
  }
}

function unmetered(request: HoldRequest, isPriced: boolean): Hold {
  const { credits } = request;
  const nothing = { metered: false, free: true, amount: 0, expiresAt: 0 };
  return { ...nothing, id: '', subscription: '', credits, isPriced, request };
}
