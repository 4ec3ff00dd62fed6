import type { Ctx } from '../routing/services.ts';
import { createHash } from 'node:crypto';
import type { CallRow } from '../core/call-row.ts';
import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { unlessAborted } from '../core/on-abort.ts';
import type { BudgetLeft, Receipt, UnitOfWork } from '../core/unit-of-work.ts';
import { beginUnitOfWork } from '../meter/unit-of-work.ts';
import type { Services } from './services.ts';

/** The output of a unit of work and its cost; no cost where nothing is metered. */
export interface Booked<Output> {
  output: Output;
  receipt?: Receipt | undefined;
}

/** Whether a returned output is a failure, which is not stored under an idempotency key. */
type IsFailure<Output> = (output: Output) => boolean;

/**
 * Begins, runs and commits a unit of work. Nothing is returned before the charges are durable. The answer is
 * stored under the idempotency key in the same commit and replayed to later requests. A nested run joins the
 * outer unit.
 */
export async function runUnit<Output>(
  name: unknown,
  ctx: Ctx<Services>,
  run: (call: Call) => Promise<Output>,
  isFailure: IsFailure<Output> = () => false,
): Promise<Booked<Output>> {
  const { call, services } = ctx;
  const { meter, clock } = services;
  if (meter === undefined || call.unit !== undefined) return { output: await run(call) };
  const { caller, idempotencyKey, signal } = call;
  const begun = await beginUnitOfWork(meter, {
    caller,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey, fingerprint: fingerprintOf(name) }),
    ttlMs: Math.max(LIMITS.holdTtlMs, call.deadline - clock.now() + GRACE_MS),
  });
  if ('replay' in begun) {
    if (call.note !== undefined) call.note.isReplay = true;
    return { output: JSON.parse(begun.replay) as Output, receipt: begun.receipt };
  }
  const work = runToEnd(begun.unit, ctx, run, isFailure);
  // With an idempotency key the caller may disconnect and come back for the answer.
  return begun.unit.keepsAnswer ? unlessAborted(meter.hearing.add(work), signal) : work;
}

const GRACE_MS = 60_000;

const fingerprintOf = (name: unknown): string =>
  createHash('sha256').update(JSON.stringify(name)).digest('hex');

async function runToEnd<Output>(
  unit: UnitOfWork,
  { call, services: { log } }: Ctx<Services>,
  run: (call: Call) => Promise<Output>,
  isFailure: IsFailure<Output>,
): Promise<Booked<Output>> {
  const { note } = call;
  const written = <Result>(result: Result): Result => {
    if (note !== undefined) note.isWritten = true;
    return result;
  };
  const fail = (row: CallRow | undefined): Promise<Receipt | undefined> =>
    unit.fail(row).then(written, (thrown: unknown) => {
      log.error('unit_not_booked', { request: call.requestId, cause: thrown });
      // Its cost is unknown, and a failure that names no cost says that it was free.
      throw thrown;
    });
  let output: Output;
  try {
    output = await run({ ...call, unit });
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    throw withCost(error, await fail(note?.failedRow(error)));
  }
  const row = note?.row(output);
  if (isFailure(output)) return { output, receipt: await fail(row) };
  const { receipt, replay } = await unit
    .commit(unit.keepsAnswer ? JSON.stringify(output) : undefined, row)
    .then(written);
  return { output: replay === undefined ? output : (JSON.parse(replay) as Output), receipt };
}

/** What was booked, as reported to callers. */
export interface Cost {
  credits: number;
  /** Millionths of a dollar. */
  charged: number;
  free: boolean;
  balance_after?: number;
  calls_left?: number | null;
  budget?: {
    level: string;
    subject: string;
    unit: 'credits' | 'money';
    left: number;
    amount: number;
    /** Seconds. */
    renews_in: number | null;
  };
}

export const costOf = ({ credits, charged, free, balanceAfter, callsLeft, budget }: Receipt): Cost => ({
  credits,
  charged,
  free,
  ...(balanceAfter === undefined ? {} : { balance_after: balanceAfter }),
  ...(callsLeft === undefined ? {} : { calls_left: callsLeft }),
  ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
});

function budgetOf({ renewsInMs, ...budget }: BudgetLeft): NonNullable<Cost['budget']> {
  return { ...budget, renews_in: renewsInMs === null ? null : Math.ceil(renewsInMs / 1_000) };
}

/** Adds the cost to a failure that cost something. */
function withCost(error: HeadgateError, receipt: Receipt | undefined): HeadgateError {
  if (receipt === undefined || receipt.credits === 0) return error;
  const { code, message, remediation, provider, retryAfterMs, data, cause } = error;
  return new HeadgateError(code, message, {
    ...(remediation === undefined ? {} : { remediation }),
    ...(provider === undefined ? {} : { provider }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    data: { ...data, cost: costOf(receipt) },
    cause,
  });
}
