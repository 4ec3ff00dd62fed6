import type { Ctx } from './services.ts';
import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { listed, named, own } from '../core/own-text.ts';
import { attemptBegun, outcomeOf, type Attempt, type Outcome } from '../core/outcome.ts';
import { traced } from '../core/trace.ts';
import type { Turn } from '../net/retry-budget.ts';
import type { Candidate, Cooldown } from './key-ring.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { RoutingServices } from './services.ts';

/** What one provider answered. A degraded answer is used only if there is no better one. */
export interface Answered {
  outcome: Outcome;
  reason?: OwnText;
  replayed?: 'canonical' | 'frozen';
}

export interface Routed<Answer> {
  provider: string;
  answer: Answer;
  attempts: Attempt[];
}

type Ask<Answer> = (candidate: Candidate) => Promise<Answer>;

/** A candidate that failed in this call, or that is in cooldown because of another one. */
interface Waiting {
  candidate: Candidate;
  error: HeadgateError;
  isTried: boolean;
  /** True when its next request is its first, or a retry that was already granted. */
  isGranted: boolean;
}

/**
 * Asks the chain until somebody answers. Every candidate (provider and key) is asked once, in order; only then are the
 * retryable failures repeated, with growing waits, and cooldowns waited out that end before the deadline. So a call makes at
 * most as many requests as there are candidates, plus the allowed retries, and it never waits while somebody else could answer:
 * without a network, `hasOther` says whether somebody outside the chain can.
 */
export async function route<Answer extends Answered>(
  chain: ReadyProvider[],
  ask: Ask<Answer>,
  ctx: Ctx,
  libraryCanAnswer?: () => Promise<boolean>,
): Promise<Routed<Answer>> {
  const { call, services } = ctx;
  const { keyRing, clock } = services;
  const turn = services.retryBudget.open(callerOf(call));
  const attempts: Attempt[] = [];
  /** In the order in which they failed. */
  const waiting = new Map<string, Waiting>();
  let fallback: Routed<Answer> | undefined;

  const attempt = async (candidate: Candidate): Promise<Routed<Answer> | undefined> => {
    const settled = await tryOne(candidate, ask, ctx);
    attempts.push(settled.attempt);
    waiting.delete(candidate.id);
    if ('error' in settled) {
      waiting.set(candidate.id, { candidate, error: settled.error, isTried: true, isGranted: false });
      return undefined;
    }
    const routed = { provider: candidate.ready.provider.id, answer: settled.answer, attempts };
    if (settled.answer.outcome !== 'degraded') return routed;
    fallback ??= routed;
    return undefined;
  };

  for (const ready of chain) {
    for (const known of keyRing.all(ready)) {
      const candidate = { ...known, turn };
      const cooldown = keyRing.cooldownOf(candidate);
      const error = cooldown === undefined ? undefined : cooldownError(cooldown, clock.now());
      if (error !== undefined)
        waiting.set(candidate.id, { candidate, error, isTried: false, isGranted: true });
      else turn.countRequest(candidate.id);
      const routed = error === undefined ? await attempt(candidate) : undefined;
      if (routed !== undefined) return routed;
    }
    attempts.push(...unasked(ready, [...waiting.values()]));
  }

  // Repeating is for calls that got nothing: a degraded answer is better than a long wait.
  const isIdle =
    fallback !== undefined || (errorsOf(waiting).every(isOffline) && (await libraryCanAnswer?.()) === true);
  const again = isIdle ? [] : repetitions(waiting, turn, ctx);
  for await (const candidate of again) {
    const routed = await attempt(candidate);
    if (routed !== undefined) return routed;
  }
  if (fallback !== undefined) return fallback;
  throw summarise(errorsOf(waiting), attempts);
}

/** The candidates to retry, each at its time, while there is time and a retry left. */
async function* repetitions(waiting: Map<string, Waiting>, turn: Turn, ctx: Ctx): AsyncGenerator<Candidate> {
  const { call, services } = ctx;
  let retriesMax = services.config.search.retries;
  for (let retries = 0; ;) {
    const next = soonest([...waiting.values()], { retries, retriesMax }, ctx);
    if (next === undefined) return;
    const { one, waitMs } = next;
    const isRetry = !one.isGranted;
    if (isRetry && !turn.takeRetry(one.candidate.id)) {
      // Only those are left that have not been asked at all.
      retriesMax = retries;
      continue;
    }
    if (isRetry) retries += 1;
    one.isGranted = true;
    await services.clock.sleep(waitMs, call.signal);
    const cooldown = services.keyRing.cooldownOf(one.candidate);
    // Another call may have been refused meanwhile; a key is never used while it cools down.
    if (cooldown === undefined) yield one.candidate;
    else one.error = cooldownError(cooldown, services.clock.now());
  }
}

/** Which calls share a retry budget. */
const callerOf = ({ caller }: Call): string =>
  [caller.workspace ?? 'local', caller.agent ?? '', caller.key ?? ''].join('/');

/** The attempt that is listed when every key of a provider is in cooldown. */
function unasked({ provider }: ReadyProvider, waiting: Waiting[]): Attempt[] {
  const [first, ...others] = waiting.filter(({ candidate }) => candidate.ready.provider === provider);
  if (first === undefined || [first, ...others].some((one) => one.isTried)) return [];
  return [{ provider: provider.id, ms: 0, outcome: outcomeOf(first.error), reason: first.error.message }];
}

/** The failures of the candidates. A key in cooldown counts only if no key of its provider was used. */
const errorsOf = (waiting: Map<string, Waiting>): HeadgateError[] => {
  const all = [...waiting.values()];
  const tried = new Set(all.flatMap((one) => (one.isTried ? [one.candidate.ready] : [])));
  return all.flatMap((one) => (one.isTried || !tried.has(one.candidate.ready) ? [one.error] : []));
};

/** The wait before a retry: full jitter below a doubling ceiling, or what the provider asked for. */
export function retryWaitMs(
  candidate: Candidate,
  error: HeadgateError,
  retries: number,
  { clock, keyRing, config, random }: RoutingServices,
): number {
  const { retry_base_ms: base, retry_cap_ms: cap } = config.search;
  const backoffMs = random() * Math.min(cap, base * 2 ** retries);
  if (error.type !== 'rate_limit') return error.retryAfterMs ?? backoffMs;
  const restMs = Math.max(0, (keyRing.cooldownOf(candidate)?.until ?? 0) - clock.now());
  return error.retryAfterMs === undefined ? Math.max(backoffMs, restMs) : restMs;
}

/** The candidate that can be retried first, and when; undefined when all would miss the deadline. */
function soonest(
  waiting: Waiting[],
  { retries, retriesMax }: { retries: number; retriesMax: number },
  { call, services }: Ctx,
): { one: Waiting; waitMs: number } | undefined {
  const now = services.clock.now();
  return waiting
    .filter(({ error, isGranted }) => error.retryable && (isGranted || retries < retriesMax))
    .map((one) => ({ one, waitMs: retryWaitMs(one.candidate, one.error, retries, services) }))
    .filter(({ waitMs }) => now + waitMs < call.deadline)
    .reduce<{ one: Waiting; waitMs: number } | undefined>(
      (best, next) => (best !== undefined && best.waitMs <= next.waitMs ? best : next),
      undefined,
    );
}

const OFFLINE = new Set(['EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH', 'ENETDOWN']);

/** True when the machine is offline: no name could be resolved, or there is no route. */
const isOffline = ({ code, cause }: HeadgateError): boolean =>
  code === 'network_error' &&
  cause instanceof Error &&
  OFFLINE.has(String((cause as NodeJS.ErrnoException).code));

/** Makes one attempt and records it. Throws failures that no other provider can fix. */
async function tryOne<Answer extends Answered>(
  candidate: Candidate,
  ask: Ask<Answer>,
  { call, services }: Ctx,
): Promise<{ attempt: Attempt; answer: Answer } | { attempt: Attempt; error: HeadgateError }> {
  call.signal.throwIfAborted();
  const started = services.clock.now();
  const entry = (outcome: Outcome, reason: OwnText | undefined): Attempt =>
    attemptBegun(
      {
        provider: candidate.ready.provider.id,
        ...(candidate.label === undefined ? {} : { key: candidate.label }),
        ms: services.clock.now() - started,
        outcome,
        ...(reason === undefined ? {} : { reason }),
        ...(candidate.ready.why === undefined ? {} : { why: candidate.ready.why }),
      },
      started,
    );
  try {
    const { tracer } = services;
    const attributes = { 'headgate.provider': candidate.ready.provider.id, 'headgate.key': candidate.label };
    const answer = await traced(tracer, 'ask', { attributes }, () => ask(candidate));
    const ms = services.clock.now() - started;
    services.health.answered(candidate.ready.provider.id, answer.outcome, { reason: answer.reason, ms });
    const { replayed } = answer;
    const attempt = entry(answer.outcome, answer.reason);
    return { attempt: replayed === undefined ? attempt : { ...attempt, replayed }, answer };
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    services.keyRing.report(candidate, error);
    services.health.failed(candidate.ready.provider.id, error);
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

/** The failure for a key in cooldown, with the class of the original refusal. */
export function cooldownError({ until, error }: Cooldown, now: number): HeadgateError {
  const { code, provider, remediation, data } = error;
  const isTimed = error.type === 'rate_limit' || error.retryAfterMs !== undefined;
  const time = named(new Date(until).toISOString().slice(0, 19));
  return new HeadgateError(code, own`Not asked again before ${time}Z: ${error.message}`, {
    remediation,
    provider,
    data,
    isUnasked: true,
    retryable: error.retryable,
    ...(isTimed ? { retryAfterMs: until - now } : {}),
  });
}

/**
 * Combines failures for the caller: the single failure, or a list of all of them under their common class.
 */
export function summarise(errors: HeadgateError[], attempts: Attempt[]): HeadgateError {
  const [first] = errors;
  if (first === undefined) {
    return new HeadgateError('not_configured', 'No provider is set up for this call.', {
      remediation: 'Run `headgate doctor` to see what is missing.',
    });
  }
  const last = errors.at(-1) ?? first;
  const isOneClass = errors.every((error) => error.code === first.code);
  const isOneProvider = isOneClass && errors.every((error) => error.provider === first.provider);
  const retryAfterMs = errors.flatMap((error) => error.retryAfterMs ?? []).sort((a, b) => a - b)[0];
  const reasons = attempts
    .filter((one) => one.outcome !== 'ok')
    .map((one) => own`${named(one.provider)}: ${named(one.reason ?? one.outcome)}`);
  return new HeadgateError(
    isOneClass ? last.code : 'upstream_unavailable',
    isOneProvider ? last.message : own`No provider answered. ${listed(new Set(reasons), ' · ')}`,
    {
      remediation: last.remediation,
      provider: isOneProvider ? last.provider : undefined,
      retryAfterMs,
      data: { ...(isOneProvider ? last.data : {}), attempts },
      cause: last.cause,
    },
  );
}
