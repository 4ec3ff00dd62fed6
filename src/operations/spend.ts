import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { plural } from '../core/text.ts';
import type { Candidate } from './key-ring.ts';
import type { Services } from './services.ts';

/** What asking a provider may cost at most. */
export interface Estimate {
  category: 'search' | 'fetch';
  credits: number;
}

/**
 * The one place that spends. Credits are held before a provider is asked, settled to what it says it used, and given back
 * when it fails; so a call that falls over from a priced provider to a free one costs nothing.
 */
export async function spend<Answer extends { credits?: number }>(
  candidate: Candidate,
  estimate: Estimate,
  call: Call,
  services: Services,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const { meter } = services;
  const provider = candidate.ready.provider;
  if (provider.priced && call.creditsMax !== undefined && estimate.credits > call.creditsMax) {
    const needs = plural(estimate.credits, 'credit');
    throw new HeadgateError(
      'over_budget',
      `${provider.title} may cost ${needs}; this call may cost ${call.creditsMax}.`,
      {
        provider: provider.id,
        remediation: 'Raise max_credits, or choose a cheaper depth or a free provider.',
        data: { required: estimate.credits, limit: call.creditsMax },
      },
    );
  }
  if (meter === undefined) return ask();

  const hold = await meter.hold({
    workspace: call.caller.workspace,
    agent: call.caller.agent,
    key: call.caller.key,
    category: estimate.category,
    provider: provider.id,
    credits: estimate.credits,
    ttlMs: call.deadline - services.clock.now() + HOLD_GRACE_MS,
  });
  const answer = await ask().catch(async (thrown: unknown) => {
    await meter.release(hold);
    throw thrown;
  });
  await meter.settle(hold, answer.credits);
  return answer;
}

/** A hold outlives its call by a minute, so that an answer at the deadline can still be booked. */
const HOLD_GRACE_MS = 60_000;
