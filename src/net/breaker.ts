import type { Clock } from '../core/clock.ts';
import { HeadgateError, type FailureType } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { createKeyed } from './keyed.ts';

export interface BreakerState {
  state: 'closed' | 'open' | 'half-open';
  /** Why the circuit opened. */
  reason?: OwnText;
  /** When the next probe is allowed. */
  retryAt?: number;
}

export interface Breaker {
  /**
   * Runs `fn`, or fails at once while the circuit is open, with the class of the failure that opened it.
   * Requests with the same `turn` belong to one call, which counts once and may finish its retries after the
   * circuit has opened.
   */
  run<T>(key: string, fn: () => Promise<T>, turn?: object): Promise<T>;
  state(key: string): BreakerState;
}

interface Circuit {
  /** Calls that have failed since the last success. */
  failing: Set<object>;
  /** Calls in the window with the result of their latest request, oldest first. */
  calls: Map<object, { at: number; failed: boolean }>;
  open?: { error: HeadgateError; retryAt: number };
  probing: boolean;
}

/**
 * Circuit breakers, one per provider and key: while a provider is down, calls fail at once and it is left to
 * recover.
 */
export function createBreaker(options: { clock: Clock; random(): number }): Breaker {
  const { clock } = options;
  const circuits = createKeyed<Circuit>(
    () => ({ failing: new Set(), calls: new Map(), probing: false }),
    (circuit) => circuit.open !== undefined,
  );
  const run = async <T>(key: string, fn: () => Promise<T>, turn: object = {}): Promise<T> => {
    const circuit = circuits.get(key);
    const probe = admit(circuit, turn, clock);
    try {
      const value = await fn();
      record(circuit, turn, 'success', clock);
      return value;
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      const effect = effectOf(error);
      record(circuit, turn, effect, clock);
      const isNews = probe || (circuit.open === undefined && mustOpen(circuit));
      if (effect === 'failure' && isNews) {
        const jitter = 0.8 + 0.4 * options.random();
        const retryAt = clock.monotonic() + Math.round(LIMITS.breakerProbeAfterMs * jitter);
        circuit.open = { error, retryAt };
      }
      throw thrown;
    } finally {
      if (probe) circuit.probing = false;
    }
  };
  return { run, state: (key) => stateOf(circuits.peek(key), clock) };
}

/** True when this call is the single probe of an open circuit; throws when it must not pass. */
function admit(circuit: Circuit, turn: object, clock: Clock): boolean {
  if (circuit.open === undefined || circuit.failing.has(turn)) return false;
  const { error, retryAt } = circuit.open;
  const now = clock.monotonic();
  if (!circuit.probing && now >= retryAt) {
    circuit.probing = true;
    return true;
  }
  const { code, message, provider, remediation, data } = error;
  throw new HeadgateError(code, own`Not tried, because it failed repeatedly just now: ${message}`, {
    provider,
    remediation,
    data,
    retryAfterMs: Math.max(0, retryAt - now),
    isUnasked: true,
  });
}

type Effect = 'success' | 'failure' | 'nothing';

/**
 * How each failure counts. A provider that refuses a key or a query is alive; a call that we ended ourselves
 * says nothing.
 */
const EFFECTS: Record<FailureType, Effect> = {
  unavailable: 'failure',
  timeout: 'failure',
  validation: 'success',
  authentication: 'success',
  authorization: 'success',
  not_found: 'success',
  rate_limit: 'success',
  quota: 'success',
  blocked: 'success',
  approval: 'nothing',
  payment: 'nothing',
  cancelled: 'nothing',
  internal: 'nothing',
};

/** Our own deadline and our own store do not count against the provider. */
function effectOf(error: HeadgateError): Effect {
  if (error.code === 'deadline_exceeded' || error.code === 'storage_unavailable') return 'nothing';
  return error.code === 'upstream_bad_answer' ? 'success' : EFFECTS[error.type];
}

function record(circuit: Circuit, turn: object, effect: Effect, clock: Clock): void {
  if (effect === 'nothing') return;
  const now = clock.monotonic();
  circuit.calls.delete(turn);
  circuit.calls.set(turn, { at: now, failed: effect === 'failure' });
  for (const [oldest, { at }] of circuit.calls) {
    if (at > now - LIMITS.breakerWindowMs && circuit.calls.size <= LIMITS.breakerCallsMax) break;
    circuit.calls.delete(oldest);
  }
  if (effect === 'failure') {
    if (circuit.failing.size < LIMITS.breakerCallsMax) circuit.failing.add(turn);
    return;
  }
  circuit.failing.clear();
  if (circuit.open !== undefined) {
    // The provider is back, so its earlier failures no longer matter.
    delete circuit.open;
    circuit.calls.clear();
  }
}

function mustOpen({ failing, calls }: Circuit): boolean {
  if (failing.size >= LIMITS.breakerFailuresMax) return true;
  if (calls.size < LIMITS.breakerWindowCallsMin) return false;
  const failures = [...calls.values()].filter((call) => call.failed).length;
  return failures * 2 >= calls.size;
}

function stateOf(circuit: Circuit | undefined, clock: Clock): BreakerState {
  if (circuit?.open === undefined) return { state: 'closed' };
  const { error, retryAt } = circuit.open;
  const leftMs = retryAt - clock.monotonic();
  // For display only; no decision depends on it.
  return { state: leftMs <= 0 ? 'half-open' : 'open', reason: error.message, retryAt: clock.now() + leftMs };
}
