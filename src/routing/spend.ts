import type { Ctx } from './services.ts';
import { creditPrice, meteredName } from '../config/credit-price.ts';
import type { Call, Paid } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { unlessAborted } from '../core/on-abort.ts';
import { named, own } from '../core/own-text.ts';
import { plural } from '../core/text.ts';
import type { Asked, Category } from '../core/unit-of-work.ts';
import { beginUnitOfWork } from '../meter/unit-of-work.ts';
import { isNothingSent } from '../net/failure.ts';
import type { Provider } from '../providers/provider.ts';
import type { Candidate } from './key-ring.ts';

/** The most that a request may cost, and which answers cost nothing. */
export interface Estimate<Answer> {
  category: Category;
  credits: number;
  /** True for an answer without content, which is neither charged nor counted. */
  isVoid?(answer: Answer): boolean;
}

/**
 * The one place that spends. The most that a request can cost is held, and that it is asked is on the disk, before the provider gets a
 * byte. It ends in one of three ways: charged when it answers, released when it refuses or fails, in doubt when it was sent and nobody
 * knows. What the caller ends does not end a request that a priced provider has: it is heard and booked in the background.
 */
export async function spend<Answer extends { credits?: number }>(
  candidate: Candidate,
  estimate: Estimate<Answer>,
  { call, services }: Ctx,
  ask: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const { meter } = services;
  const provider = candidate.ready.provider;
  const metered = meteredName(provider, candidate.key !== undefined);
  const { creditsMax } = call;
  // Chains are made of allowed providers; whatever comes another way is refused here.
  if (provider.builtIn === undefined) call.gate?.check({ kind: 'provider', provider: provider.id });
  if (creditsMax !== undefined && estimate.credits > creditsMax && creditPrice(metered, services.config) > 0)
    throw overBudget(provider, estimate.credits, creditsMax);
  if (meter === undefined) return ask(call);
  if (call.unit === undefined) {
    const begun = await beginUnitOfWork(meter, { caller: call.caller });
    if (!('unit' in begun)) throw new HeadgateError('internal', 'A call without a key was answered before.');
    const answer = await spend(candidate, estimate, { call: { ...call, unit: begun.unit }, services }, ask);
    await begun.unit.commit();
    return answer;
  }

  const { unit } = call;
  const asked = await unit.ask({
    category: estimate.category,
    provider: metered,
    credits: estimate.credits,
    ttlMs: call.deadline - services.clock.now() + HOLD_GRACE_MS,
  });
  if (asked.heard === undefined) {
    const { answer, written } = await book(asked, estimate, undefined, ask(call));
    unit.waitFor(written);
    return answer;
  }
  const paid: Paid = { signal: asked.heard, isSent: false };
  const work = meter.hearing.add(book(asked, estimate, paid, ask({ ...call, paid })));
  // An answer that is kept for a key is waited for by nobody but the key.
  const { answer, written } = await (unit.keepsAnswer ? work : unlessAborted(work, call.signal));
  unit.waitFor(written);
  return answer;
}

/** A hold outlives its call by a minute, so that an answer at the deadline can still be booked. */
const HOLD_GRACE_MS = 60_000;

/** Waits for the answer and books the result. */
async function book<Answer extends { credits?: number }>(
  asked: Asked,
  estimate: Estimate<Answer>,
  paid: Paid | undefined,
  asking: Promise<Answer>,
): Promise<{ answer: Answer; written: Promise<unknown> }> {
  let answer: Answer;
  try {
    answer = await asking;
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    if (paid?.isSent === true && isInDoubt(error)) await asked.doubt(error.message);
    else await asked.release();
    throw thrown;
  }
  const written = estimate.isVoid?.(answer) === true ? asked.release() : asked.answered(answer.credits);
  written.catch(() => undefined);
  return { answer, written };
}

const UNHEARD = new Set(['upstream_timeout', 'network_error', 'deadline_exceeded', 'cancelled']);

/** True when it is unknown whether the provider did the work: a timeout or a broken connection. */
const isInDoubt = (error: HeadgateError): boolean => UNHEARD.has(error.code) && !isNothingSent(error);

function overBudget(provider: Provider, credits: number, creditsMax: number): HeadgateError {
  return new HeadgateError(
    'over_budget',
    own`${named(provider.title)} may cost ${plural(credits, 'credit')}; this call may cost ${creditsMax}.`,
    {
      provider: provider.id,
      remediation: 'Raise max_credits, or choose a cheaper depth or a free provider.',
      data: { required: credits, limit: creditsMax },
    },
  );
}
