import type { Clock } from '../core/clock.ts';
import { HeadgateError, type FailureType } from '../core/errors.ts';
import { failureOfFault, faultOf } from '../core/fault.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { createMemoryShared, SHARED_LIMITS, type Shared } from '../core/shared.ts';
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
  /** Whether it was open when it was last used. */
  isOpen: boolean;
  /** Somebody else is probing; not asked again before this time. */
  probedUntil: number;
}

/** An open circuit; all gateways see it. */
interface Open {
  error: HeadgateError;
  retryAt: number;
}

/** A circuit that nobody has used for so long is closed. */
const OPEN_MS = 3_600_000;

/**
 * Circuit breakers, one per provider and key: while a provider is down, calls fail at once and it is left to
 * recover. Each gateway counts its own failures; a circuit that one has opened is open for all, and one of them probes.
 */
export function createBreaker(options: {
  clock: Clock;
  random(): number;
  shared?: Pick<Shared, 'lease' | 'mark' | 'marked'>;
}): Breaker {
  const { clock, shared = createMemoryShared({ clock }) } = options;
  const circuits = createKeyed<Circuit>(
    () => ({ failing: new Set(), calls: new Map(), isOpen: false, probedUntil: -Infinity }),
    (circuit) => circuit.isOpen,
  );
  const openOf = (key: string): Open | undefined => {
    const mark = shared.marked(`breaker ${key}`);
    return mark && { error: failureOfFault(mark.value), retryAt: mark.endsAt - OPEN_MS };
  };
  const circuitOf = (key: string): Circuit => {
    const circuit = circuits.get(key);
    const isOpen = openOf(key) !== undefined;
    // Closed by another gateway: earlier failures no longer matter.
    if (circuit.isOpen && !isOpen) forget(circuit);
    circuit.isOpen = isOpen;
    return circuit;
  };
  const note = (key: string, circuit: Circuit, turn: object, effect: Effect): void => {
    record(circuit, turn, effect, clock);
    if (effect !== 'success' || openOf(key) === undefined) return;
    shared.mark(`breaker ${key}`, undefined);
    circuit.isOpen = false;
    circuit.calls.clear();
  };
  const run = async <T>(key: string, fn: () => Promise<T>, turn: object = {}): Promise<T> => {
    const circuit = circuitOf(key);
    const open = openOf(key);
    const endProbe =
      open === undefined || circuit.failing.has(turn)
        ? undefined
        : await probe(`probe ${key}`, circuit, open, shared, clock);
    try {
      const value = await fn();
      note(key, circuit, turn, 'success');
      return value;
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      const effect = effectOf(error);
      note(key, circuit, turn, effect);
      const isNews = endProbe !== undefined || (openOf(key) === undefined && mustOpen(circuit));
      if (effect === 'failure' && isNews) {
        const jitter = 0.8 + 0.4 * options.random();
        const retryAt = clock.monotonic() + Math.round(LIMITS.breakerProbeAfterMs * jitter);
        shared.mark(`breaker ${key}`, { endsAt: retryAt + OPEN_MS, value: faultOf(error) });
        circuit.isOpen = true;
      }
      throw thrown;
    } finally {
      endProbe?.();
    }
  };
  return { run, state: (key) => stateOf(openOf(key), clock) };
}

/** Lets one call of all gateways through to probe an open circuit, and throws for the others. */
async function probe(
  name: string,
  circuit: Circuit,
  { error, retryAt }: Open,
  shared: Pick<Shared, 'lease'>,
  clock: Clock,
): Promise<() => void> {
  const now = clock.monotonic();
  if (now >= retryAt && now >= circuit.probedUntil) {
    circuit.probedUntil = now + SHARED_LIMITS.readMs;
    const release = await shared.lease(name);
    if (release !== undefined) {
      circuit.probedUntil = -Infinity;
      return release;
    }
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
}

function forget(circuit: Circuit): void {
  circuit.failing.clear();
  circuit.calls.clear();
}

function mustOpen({ failing, calls }: Circuit): boolean {
  if (failing.size >= LIMITS.breakerFailuresMax) return true;
  if (calls.size < LIMITS.breakerWindowCallsMin) return false;
  const failures = [...calls.values()].filter((call) => call.failed).length;
  return failures * 2 >= calls.size;
}

function stateOf(open: Open | undefined, clock: Clock): BreakerState {
  if (open === undefined) return { state: 'closed' };
  const { error, retryAt } = open;
  const leftMs = retryAt - clock.monotonic();
  // For display only; no decision depends on it.
  return { state: leftMs <= 0 ? 'half-open' : 'open', reason: error.message, retryAt: clock.now() + leftMs };
}
