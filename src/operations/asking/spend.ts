import { creditPrice } from '../../config/credit-price.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { onAbort } from '../../core/on-abort.ts';
import { plural } from '../../core/text.ts';
import type { BegunHold, HoldRequest } from '../../meter/meter.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Candidate } from './key-ring.ts';
import type { Services } from '../services.ts';

/** What asking a provider may cost at most. */
export interface Estimate {
  category: HoldRequest['category'];
  credits: number;
}

/**
 * The one place that spends. Credits are held before a provider is asked, settled to what it says it used, and given back
 * when it fails; so a call that falls over from a priced provider to a free one costs nothing. The provider is asked as soon as
 * the hold is decided, while it is still being written, and even before that when the account had plenty a moment ago; nothing is
 * delivered before hold and settlement are both durable.
 */
export async function spend<Answer extends { credits?: number }>(
  candidate: Candidate,
  estimate: Estimate,
  call: Call,
  services: Services,
  ask: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const { meter } = services;
  const provider = candidate.ready.provider;
  const { creditsMax } = call;
  if (
    creditsMax !== undefined &&
    estimate.credits > creditsMax &&
    creditPrice(provider.id, services.config) > 0
  )
    throw overBudget(provider, estimate, creditsMax);
  if (meter === undefined) return ask(call);

  const request = {
    workspace: call.caller.workspace,
    agent: call.caller.agent,
    key: call.caller.key,
    category: estimate.category,
    provider: provider.id,
    credits: estimate.credits,
    ttlMs: call.deadline - services.clock.now() + HOLD_GRACE_MS,
  };
  const begun = meter.begin(request);
  const ahead = meter.isSolvent(request) ? settled(askWhileWriting(begun, call, ask)) : undefined;
  const hold = await begun.catch(async (refused: unknown) => {
    await ahead;
    throw refused;
  });
  const asked = await (ahead ?? settled(hold.metered ? askWhileWriting(begun, call, ask) : ask(call)));
  if ('thrown' in asked) {
    // A hold that was lost has nothing to give back and nothing to charge.
    await hold.durable;
    await meter.release(hold);
    throw asked.thrown;
  }
  const written = hold.durable.then(() => meter.settle(hold, asked.answer.credits));
  if (call.beforeDelivery === undefined) await written;
  else call.beforeDelivery(written);
  return asked.answer;
}

/** A hold outlives its call by a minute, so that an answer at the deadline can still be booked. */
const HOLD_GRACE_MS = 60_000;

/** Asks, and stops when the hold that the work relies on is refused or cannot be written. */
async function askWhileWriting<Answer>(
  begun: Promise<BegunHold>,
  call: Call,
  ask: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const work = new AbortController();
  const stopListening = onAbort(call.signal, () => work.abort(call.signal.reason));
  begun.then((hold) => hold.durable).catch((thrown: unknown) => work.abort(thrown));
  return ask({ ...call, signal: work.signal }).finally(stopListening);
}

const settled = <Answer>(asked: Promise<Answer>): Promise<{ answer: Answer } | { thrown: unknown }> =>
  asked.then(
    (answer) => ({ answer }),
    (thrown: unknown) => ({ thrown }),
  );

function overBudget(provider: Provider, { credits }: Estimate, creditsMax: number): HeadgateError {
  return new HeadgateError(
    'over_budget',
    `${provider.title} may cost ${plural(credits, 'credit')}; this call may cost ${creditsMax}.`,
    {
      provider: provider.id,
      remediation: 'Raise max_credits, or choose a cheaper depth or a free provider.',
      data: { required: credits, limit: creditsMax },
    },
  );
}
