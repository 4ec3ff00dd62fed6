import { createHash } from 'node:crypto';
import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { unlessAborted } from '../core/on-abort.ts';
import type { Receipt, UnitOfWork } from '../core/unit-of-work.ts';
import { beginUnitOfWork } from '../meter/unit-of-work.ts';
import type { Services } from './services.ts';

/** What came of a unit of work, and what was booked for it; nothing is said about money where nothing is metered. */
export interface Booked<Output> {
  output: Output;
  receipt?: Receipt | undefined;
}

/** Whether an output that was not thrown is a failure all the same: it is not kept for an idempotency key. */
type IsFailure<Output> = (output: Output) => boolean;

/**
 * Begins, runs and commits. Nothing is handed on before the charges are on the disk. Under an idempotency key the first answer is kept in
 * the same commit, and everybody who asks the same again gets it. A run inside another one belongs to that.
 */
export async function runUnit<Output>(
  name: unknown,
  call: Call,
  services: Services,
  run: (call: Call) => Promise<Output>,
  isFailure: IsFailure<Output> = () => false,
): Promise<Booked<Output>> {
  const { meter, clock } = services;
  if (meter === undefined || call.unit !== undefined) return { output: await run(call) };
  const { caller, idempotencyKey, signal } = call;
  const begun = await beginUnitOfWork(meter, {
    caller,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey, fingerprint: fingerprintOf(name) }),
    ttlMs: Math.max(LIMITS.holdTtlMs, call.deadline - clock.now() + GRACE_MS),
  });
  if ('replay' in begun) return { output: JSON.parse(begun.replay) as Output, receipt: begun.receipt };
  const work = runToEnd(begun.unit, call, services, run, isFailure);
  // Whoever asked under a key may go and come back for the answer.
  return begun.unit.keepsAnswer ? unlessAborted(meter.hearing.add(work), signal) : work;
}

const GRACE_MS = 60_000;

const fingerprintOf = (name: unknown): string =>
  createHash('sha256').update(JSON.stringify(name)).digest('hex');

async function runToEnd<Output>(
  unit: UnitOfWork,
  call: Call,
  { log }: Services,
  run: (call: Call) => Promise<Output>,
  isFailure: IsFailure<Output>,
): Promise<Booked<Output>> {
  const fail = (): Promise<Receipt | undefined> =>
    unit.fail().catch((thrown: unknown) => {
      log.error('unit_not_booked', { request: call.requestId, cause: thrown });
      return undefined;
    });
  let output: Output;
  try {
    output = await run({ ...call, unit });
  } catch (thrown) {
    throw withCost(HeadgateError.from(thrown), await fail());
  }
  if (isFailure(output)) return { output, receipt: await fail() };
  const { receipt, replay } = await unit.commit(unit.keepsAnswer ? JSON.stringify(output) : undefined);
  return { output: replay === undefined ? output : (JSON.parse(replay) as Output), receipt };
}

/** What was booked, as callers are told it. */
export interface Cost {
  credits: number;
  /** Millionths of a dollar. */
  charged: number;
  free: boolean;
  balance_after?: number;
  calls_left?: number | null;
}

export const costOf = ({ credits, charged, free, balanceAfter, callsLeft }: Receipt): Cost => ({
  credits,
  charged,
  free,
  ...(balanceAfter === undefined ? {} : { balance_after: balanceAfter }),
  ...(callsLeft === undefined ? {} : { calls_left: callsLeft }),
});

/** A failure that cost something says so. */
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
