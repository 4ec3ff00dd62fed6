import { parseInput } from '../contract/parse.ts';
import type { Call, Caller, Progress } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { redact } from '../core/log.ts';
import { onAbort } from '../core/on-abort.ts';
import { clip } from '../core/text.ts';
import { authorise } from './authorise.ts';
import type { Operation } from './operation.ts';
import { costOf, runUnit } from './run-unit.ts';
import type { Services } from './services.ts';

export interface CallOptions {
  signal?: AbortSignal;
  /**
   * Aborts the signal, for a caller that owns its work; otherwise the call has its own signal that follows.
   */
  abort?(reason: unknown): void;
  timeoutMs?: number;
  caller?: Caller;
  creditsMax?: number;
  idempotencyKey?: string;
  progress?(progress: Progress): void;
  requestSampling?: Call['requestSampling'];
}

/** A call with a timer. A call that is not ended releases it at its deadline. */
export interface OpenCall extends Call {
  end(): void;
}

/** Creates a call with its deadline: it is cancelled when the caller leaves or the time is over. */
export function createCall(services: Services, options: CallOptions = {}): OpenCall {
  const { signal, abort, timeoutMs = services.config.search.timeout_ms, caller = {}, ...rest } = options;
  const work = signal !== undefined && abort !== undefined ? { signal, abort, end() {} } : follow(signal);
  // Not AbortSignal.timeout, which cannot be ended: a busy gateway would keep every call of the last minute.
  const stopTimer = services.clock.after(timeoutMs, () =>
    work.abort(new DOMException('Time is up.', 'TimeoutError')),
  );
  return {
    ...rest,
    requestId: newRequestId(),
    caller,
    signal: work.signal,
    deadline: services.clock.now() + timeoutMs,
    end: () => {
      stopTimer();
      work.end();
    },
  };
}

/** A signal that aborts with another one and can also be aborted by itself. */
function follow(signal: AbortSignal | undefined) {
  const work = new AbortController();
  const end = signal === undefined ? () => {} : onAbort(signal, () => work.abort(signal.reason));
  return { signal: work.signal, abort: (reason: unknown) => work.abort(reason), end };
}

/**
 * The single path of every call: checks the input, begins, runs, commits, and turns every error into a
 * failure that says what to do.
 */
export async function perform<Input, Output>(
  operation: Operation<Input, Output>,
  raw: unknown,
  call: Call,
  services: Services,
): Promise<Output> {
  const started = services.clock.now();
  const fields = { operation: operation.contract.name, request: call.requestId };
  services.log.debug('call_started', fields);
  try {
    const allowed = authorise(operation, call);
    const input = parseInput(operation.contract.input, raw) as Input;
    const output = await tracedRun(operation, input, allowed, services);
    services.log.info('call_done', { ...fields, ms: services.clock.now() - started });
    return output;
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    const level = error.type === 'internal' ? 'error' : 'info';
    const ms = services.clock.now() - started;
    services.log[level]('call_failed', {
      ...fields,
      code: error.code,
      ms,
      message: error.message,
      cause: error.cause,
    });
    throw error;
  }
}

/** Runs in a span with the caller and the outcome; the input is included only if the operator wants it. */
function tracedRun<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  call: Call,
  services: Services,
): Promise<Output> {
  const { tracer, config } = services;
  if (tracer === undefined) return runBooked(operation, input, call, services);
  const attributes = {
    'headgate.request': call.requestId,
    'headgate.workspace': call.caller.workspace,
    'headgate.agent': call.caller.agent,
    'headgate.input': config.telemetry.queries
      ? clip(redact(JSON.stringify(input)), LIMITS.traceInputCharsMax)
      : undefined,
  };
  return tracer.span(operation.contract.name, { attributes }, async (span) => {
    const output = await runBooked(operation, input, call, services);
    const { outcome, cached, credits } = output as { outcome?: string; cached?: boolean; credits?: number };
    span.set({ 'headgate.outcome': outcome, 'headgate.cached': cached, 'headgate.credits': credits });
    return output;
  });
}

/** Runs as one unit of work; the reported cost is what was booked. */
async function runBooked<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  call: Call,
  services: Services,
): Promise<Output> {
  const name = [operation.contract.name, input];
  const { output, receipt } = await runUnit(name, call, services, (inner) =>
    operation.run(input, inner, services),
  );
  if (receipt === undefined || typeof output !== 'object' || output === null) return output;
  const isBooked = receipt.balanceAfter !== undefined && 'credits' in output;
  return { ...output, ...(isBooked ? { credits: receipt.credits } : {}), cost: costOf(receipt) };
}
