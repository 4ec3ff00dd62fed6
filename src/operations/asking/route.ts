import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { outcomeOf, type Attempt, type Outcome } from '../../core/outcome.ts';
import { traced } from '../../core/trace.ts';
import type { Candidate } from './key-ring.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { Services } from '../services.ts';

/** What one provider answered; a degraded answer is kept only if nobody gives a better one. */
export interface Answered {
  outcome: Outcome;
  reason?: string;
}

export interface Routed<Answer> {
  provider: string;
  answer: Answer;
  attempts: Attempt[];
}

type Ask<Answer> = (candidate: Candidate) => Promise<Answer>;

/**
 * Asks the chain until somebody answers. Every candidate (provider and key) is asked once, in order; only then are the
 * retryable failures repeated, with growing waits. So a call makes at most as many requests as there are candidates,
 * plus the allowed retries, and it never waits while somebody else could answer: without a network, `hasOther` says whether
 * somebody outside the chain can.
 */
export async function route<Answer extends Answered>(
  chain: ReadyProvider[],
  ask: Ask<Answer>,
  call: Call,
  services: Services,
  hasOther?: () => Promise<boolean>,
): Promise<Routed<Answer>> {
  const attempts: Attempt[] = [];
  const retryable: { candidate: Candidate; error: HeadgateError }[] = [];
  const errors: HeadgateError[] = [];
  let fallback: Routed<Answer> | undefined;

  const attempt = async (candidate: Candidate): Promise<Routed<Answer> | undefined> => {
    const settled = await tryOne(candidate, ask, call, services);
    attempts.push(settled.attempt);
    if ('error' in settled) {
      errors.push(settled.error);
      if (settled.error.retryable) retryable.push({ candidate, error: settled.error });
      return undefined;
    }
    const routed = { provider: candidate.ready.provider.id, answer: settled.answer, attempts };
    if (settled.answer.outcome !== 'degraded') return routed;
    fallback ??= routed;
    return undefined;
  };

  for (const ready of chain) {
    const candidates = services.keyRing.candidates(ready);
    if (candidates.length === 0) {
      const rest = services.keyRing.resting(ready);
      attempts.push({
        provider: ready.provider.id,
        ms: 0,
        outcome: 'rate_limit',
        reason: `All keys rest: ${rest?.reason ?? ''}`,
      });
      if (rest !== undefined)
        errors.push(restingError(ready, rest.until - services.clock.now(), rest.reason));
    }
    for (const candidate of candidates) {
      services.retryBudget.of(candidate.id).countCall();
      const routed = await attempt(candidate);
      if (routed !== undefined) return routed;
    }
  }

  // Repeating is for calls that got nothing: a degraded answer is better than a long wait.
  const isIdle = fallback !== undefined || (errors.every(isOffline) && (await hasOther?.()) === true);
  const retries = isIdle ? 0 : services.config.search.retries;
  for (let retry = 0; retry < retries; retry += 1) {
    const next = retryable.shift();
    if (next === undefined || !services.retryBudget.of(next.candidate.id).takeRetry()) break;
    if (!(await waitFor(next.error, retry, call, services))) break;
    const routed = await attempt(next.candidate);
    if (routed !== undefined) return routed;
  }
  if (fallback !== undefined) return fallback;
  throw summarise(errors, attempts);
}

const OFFLINE = new Set(['EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH', 'ENETDOWN']);

/** Whether not even a name could be looked up, or no road leads out of this machine. */
const isOffline = ({ code, cause }: HeadgateError): boolean =>
  code === 'network_error' &&
  cause instanceof Error &&
  OFFLINE.has(String((cause as NodeJS.ErrnoException).code));

/** One try: timed, recorded, and told to the key ring. What no other provider could mend is thrown on. */
async function tryOne<Answer extends Answered>(
  candidate: Candidate,
  ask: Ask<Answer>,
  call: Call,
  services: Services,
): Promise<{ attempt: Attempt; answer: Answer } | { attempt: Attempt; error: HeadgateError }> {
  call.signal.throwIfAborted();
  const started = services.clock.now();
  const entry = (outcome: Outcome, reason: string | undefined): Attempt => ({
    provider: candidate.ready.provider.id,
    ...(candidate.label === undefined ? {} : { key: candidate.label }),
    ms: services.clock.now() - started,
    outcome,
    ...(reason === undefined ? {} : { reason }),
  });
  try {
    const { tracer } = services;
    const attributes = { 'headgate.provider': candidate.ready.provider.id, 'headgate.key': candidate.label };
    const answer = await traced(tracer, 'ask', { attributes }, () => ask(candidate));
    return { attempt: entry(answer.outcome, answer.reason), answer };
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    services.keyRing.report(candidate, error);
    if (error.type === 'validation' || error.type === 'internal' || error.code === 'cancelled') throw error;
    services.log.warn('provider_failed', {
      provider: candidate.ready.provider.id,
      key: candidate.label,
      code: error.code,
      cause: error.cause,
    });
    return { attempt: entry(outcomeOf(error), error.message), error };
  }
}

/** Full jitter below a doubling ceiling; a Retry-After is a floor. False when the deadline comes first. */
async function waitFor(
  error: HeadgateError,
  retry: number,
  call: Call,
  services: Services,
): Promise<boolean> {
  const { retry_base_ms: base, retry_cap_ms: cap } = services.config.search;
  const backoff = services.random() * Math.min(cap, base * 2 ** retry);
  // A rate-limited key rests at least its cooldown, so that it is never used early.
  const floor = error.type === 'rate_limit' ? LIMITS.keyCooldownMs : 0;
  const waitMs = error.retryAfterMs ?? Math.max(backoff, floor);
  if (services.clock.now() + waitMs >= call.deadline) return false;
  await services.clock.sleep(waitMs, call.signal);
  return true;
}

function restingError(ready: ReadyProvider, waitMs: number, reason: string): HeadgateError {
  return new HeadgateError(
    'upstream_rate_limit',
    `${ready.provider.title} rests after a refusal: ${reason}`,
    {
      provider: ready.provider.id,
      retryAfterMs: Math.max(0, waitMs),
    },
  );
}

/** One error for the caller: the failure itself when there was one, else a list of who failed and why. */
function summarise(errors: HeadgateError[], attempts: Attempt[]): HeadgateError {
  const [first] = errors;
  if (first === undefined) {
    return new HeadgateError('not_configured', 'No provider is set up for this call.', {
      remediation: 'Run `headgate doctor` to see what is missing.',
    });
  }
  const last = errors.at(-1) ?? first;
  const same = errors.every((error) => error.code === first.code && error.provider === first.provider);
  const retryAfterMs = errors.flatMap((error) => error.retryAfterMs ?? []).sort((a, b) => a - b)[0];
  const reasons = attempts
    .filter((one) => one.outcome !== 'ok')
    .map((one) => `${one.provider}: ${one.reason ?? one.outcome}`);
  return new HeadgateError(
    same ? last.code : 'upstream_unavailable',
    same ? last.message : `No provider answered. ${[...new Set(reasons)].join(' · ')}`,
    {
      remediation: last.remediation,
      provider: same ? last.provider : undefined,
      retryAfterMs,
      data: { ...last.data, attempts },
      cause: last.cause,
    },
  );
}
