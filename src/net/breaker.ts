import type { Clock } from '../core/clock.ts';
import { HeadgateError, type FailureType } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { createKeyed } from './keyed.ts';

export interface BreakerState {
  state: 'closed' | 'open' | 'half-open';
  /** Why it opened. */
  reason?: string;
  /** When the next probe may go through. */
  retryAt?: number;
}

export interface Breaker {
  /** Runs `fn`, or fails at once with `circuit_open` while the key is known to be down. */
  run<T>(key: string, fn: () => Promise<T>): Promise<T>;
  state(key: string): BreakerState;
}

interface Circuit {
  consecutive: number;
  /** One entry per second of the window. */
  seconds: { second: number; calls: number; failures: number }[];
  open?: { reason: string; retryAt: number };
  probing: boolean;
}

/** One breaker per (provider, key): when it is down, callers learn so at once and it is left in peace to recover. */
export function createBreaker(options: { clock: Clock; random(): number }): Breaker {
  const { clock } = options;
  const circuits = createKeyed<Circuit>(
    () => ({ consecutive: 0, seconds: [], probing: false }),
    (circuit) => circuit.open !== undefined,
  );
  const run = async <T>(key: string, fn: () => Promise<T>): Promise<T> => {
    const circuit = circuits.get(key);
    const probe = admit(circuit, clock);
    try {
      const value = await fn();
      record(circuit, 'success', clock);
      return value;
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      const effect = effectOf(error);
      record(circuit, effect, clock);
      if (effect === 'failure' && (probe || mustOpen(circuit))) {
        const jitter = 0.8 + 0.4 * options.random();
        const retryAt = clock.now() + Math.round(LIMITS.breakerProbeAfterMs * jitter);
        circuit.open = { reason: error.message, retryAt };
      }
      throw thrown;
    } finally {
      if (probe) circuit.probing = false;
    }
  };
  return { run, state: (key) => stateOf(circuits.peek(key), clock) };
}

/** True when this call is the one probe of an open circuit; throws when it must not go through. */
function admit(circuit: Circuit, clock: Clock): boolean {
  if (circuit.open === undefined) return false;
  const { reason, retryAt } = circuit.open;
  const now = clock.now();
  if (!circuit.probing && now >= retryAt) {
    circuit.probing = true;
    return true;
  }
  throw new HeadgateError('circuit_open', `Not tried, because it failed repeatedly just now: ${reason}`, {
    retryAfterMs: Math.max(0, retryAt - now),
  });
}

type Effect = 'success' | 'failure' | 'nothing';

/** An upstream that refuses a key or a query is alive. A call that we ended ourselves says nothing about it. */
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
  cancelled: 'nothing',
  internal: 'nothing',
};

const effectOf = (error: HeadgateError): Effect =>
  error.code === 'deadline_exceeded' ? 'nothing' : EFFECTS[error.type];

function record(circuit: Circuit, effect: Effect, clock: Clock): void {
  if (effect === 'nothing') return;
  const second = Math.floor(clock.now() / 1000);
  const windowStart = second - LIMITS.breakerWindowMs / 1000;
  circuit.seconds = circuit.seconds.filter((entry) => entry.second > windowStart);
  let entry = circuit.seconds.at(-1);
  if (entry?.second !== second) {
    entry = { second, calls: 0, failures: 0 };
    circuit.seconds.push(entry);
  }
  entry.calls += 1;
  if (effect === 'failure') {
    entry.failures += 1;
    circuit.consecutive += 1;
    return;
  }
  circuit.consecutive = 0;
  if (circuit.open !== undefined) {
    // The other side is back; what happened before says nothing about it any more.
    delete circuit.open;
    circuit.seconds = [];
  }
}

function mustOpen(circuit: Circuit): boolean {
  if (circuit.consecutive >= LIMITS.breakerFailuresMax) return true;
  const calls = circuit.seconds.reduce((sum, entry) => sum + entry.calls, 0);
  const failures = circuit.seconds.reduce((sum, entry) => sum + entry.failures, 0);
  return calls >= LIMITS.breakerWindowCallsMin && failures * 2 >= calls;
}

function stateOf(circuit: Circuit | undefined, clock: Clock): BreakerState {
  if (circuit?.open === undefined) return { state: 'closed' };
  const { reason, retryAt } = circuit.open;
  return { state: clock.now() >= retryAt ? 'half-open' : 'open', reason, retryAt };
}
