import type { Ctx } from '../routing/services.ts';
import { parseInput } from '../contract/parse.ts';
import type { Surface } from '../core/call-row.ts';
import type { Call, Caller, Progress } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Policy } from '../core/gate.ts';
import { newRequestId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { redact } from '../core/log.ts';
import { onAbort } from '../core/on-abort.ts';
import { named, own } from '../core/own-text.ts';
import { asOfTime, currentScope } from '../core/scope.ts';
import { clip, type OwnText } from '../core/text.ts';
import { authorise } from './authorise.ts';
import { noted, type NamedCall } from './noted.ts';
import type { Operation } from './operation.ts';
import { gated } from './gated.ts';
import { handedOver } from './handed-over.ts';
import { costOf, runUnit } from './run-unit.ts';
import type { Services } from './services.ts';

export interface CallOptions {
  signal?: AbortSignal;
  /** Aborts the signal, for a caller that owns it; otherwise the call gets a derived signal. */
  abort?(reason: unknown): void;
  timeoutMs?: number;
  caller?: Caller;
  surface?: Surface;
  creditsMax?: number;
  idempotencyKey?: string;
  policy?: Policy;
  progress?(progress: Progress): void;
  requestSampling?: Call['requestSampling'];
  requestConfirmation?: Call['requestConfirmation'];
}

/** A call with a timer; end it, or the timer is released at the deadline. */
export interface OpenCall extends Call {
  end(): void;
}

/** Creates a call with a deadline: it is cancelled when the caller leaves or the time is over. */
export function createCall(services: Services, options: CallOptions = {}): OpenCall {
  const { signal, abort, timeoutMs = services.config.search.timeout_ms, ...given } = options;
  const { caller = {}, policy, ...rest } = given;
  const work = signal !== undefined && abort !== undefined ? { signal, abort, end() {} } : follow(signal);
  // AbortSignal.timeout cannot be cleared: a busy gateway would keep every call of the last minute.
  const startTimer = (ms: number) =>
    services.clock.after(ms, () => work.abort(new DOMException('Time is up.', 'TimeoutError')));
  let deadline = services.clock.now() + timeoutMs;
  let stopTimer = startTimer(timeoutMs);
  return {
    ...rest,
    requestId: newRequestId(),
    caller: policy === undefined ? caller : { ...caller, policy: [...(caller.policy ?? []), policy] },
    signal: work.signal,
    deadline,
    extend: (ms) => {
      deadline += ms;
      stopTimer();
      stopTimer = startTimer(Math.max(0, deadline - services.clock.now()));
      return deadline;
    },
    end: () => {
      stopTimer();
      work.end();
    },
  };
}

/** The time limit of a call that reads this many pages: the usual one, or the full time of every batch. */
export const readingTimeoutMs = (pages: number, usualMs: number): number =>
  Math.max(
    usualMs,
    Math.ceil(pages / LIMITS.fetchPerOriginMax) * Math.min(LIMITS.fetchTotalMs, usualMs) +
      LIMITS.extractDeliveryMs,
  );

/** A signal that aborts with another one and can also be aborted by itself. */
function follow(signal: AbortSignal | undefined) {
  const work = new AbortController();
  const end = signal === undefined ? () => {} : onAbort(signal, () => work.abort(signal.reason));
  return { signal: work.signal, abort: (reason: unknown) => work.abort(reason), end };
}

/**
 * The single path of every call: validates, begins, runs, commits, and converts every error to a
 * HeadgateError.
 */
export const perform = <Input, Output>(
  operation: Operation<Input, Output>,
  raw: unknown,
  ctx: Ctx<Services>,
): Promise<Output> =>
  identified({ name: operation.contract.name, input: raw }, ctx, (named, own) =>
    noted(named, own, (inner) => performNoted(operation, raw, inner)),
  );

/**
 * A call that is recorded or replayed gets its ID and its time from what it asks for, and services of its own, so that the others
 * do not affect it. Any other call runs as it is.
 */
export async function identified<Output>(
  named: NamedCall,
  ctx: Ctx<Services>,
  run: (named: NamedCall, ctx: Ctx<Services>) => Promise<Output>,
): Promise<Output> {
  const { call, services } = ctx;
  const { enter, isolated, clock } = services;
  if (enter === undefined || isolated === undefined) return run(named, ctx);
  const leftMs = call.deadline - clock.now();
  const inside = (): Promise<Output> => {
    if (currentScope() !== undefined)
      Object.assign(call, { requestId: newRequestId(), deadline: clock.now() + leftMs });
    return run(named, { call, services: isolated(services) });
  };
  return enter(named.name, named.input, inside, call.caller.workspace);
}

async function performNoted<Input, Output>(
  operation: Operation<Input, Output>,
  raw: unknown,
  { call, services }: Ctx<Services>,
): Promise<Output> {
  const started = services.clock.now();
  const fields = { operation: operation.contract.name, request: call.requestId };
  services.log.debug('call_started', fields);
  try {
    const allowed = authorise(operation, call);
    const input = parseInput(operation.contract.input, raw) as Input;
    checkAsOf(input, services);
    // Asked of the call as it came: after `authorise` every call has all permissions.
    const isInner = call.caller.grant === 'all';
    const outer = { call: allowed, services };
    const { ctx, input: clean, warnings } = await gated(operation.contract.name, input, outer, isInner);
    const output = withWarnings(handedOver(await tracedRun(operation, clean, ctx), ctx.call.gate), warnings);
    // What the caller is about to see is what it may choose from next.
    if (allowed.gate === undefined) await ctx.call.gate?.admission?.note(output);
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

/** Only what was recorded can be seen as it was, and in some workspaces only until a date. */
function checkAsOf(input: unknown, { frozen }: Services): void {
  const { as_of: asOf } = (input ?? {}) as { as_of?: string };
  if (asOf === undefined) return;
  if (frozen === undefined)
    throw new HeadgateError('invalid_request', 'as_of: there is no snapshot to look back into.', {
      remediation: 'Leave it out, or replay a snapshot with `headgate replay` or [web] mode = "replay".',
    });
  const { asOfMax = Infinity } = currentScope() ?? {};
  if (asOfTime(asOf) > asOfMax)
    throw new HeadgateError(
      'invalid_request',
      own`as_of: this workspace sees the web as of ${named(new Date(asOfMax).toISOString())} at the latest.`,
      { remediation: 'Name an earlier date, or leave it out.' },
    );
}

/** Adds warnings to an output that can have some. */
const withWarnings = <Output>(output: Output, more: OwnText[]): Output => {
  const { warnings } = (output ?? {}) as { warnings?: unknown };
  return more.length > 0 && Array.isArray(warnings)
    ? { ...output, warnings: [...(warnings as OwnText[]), ...more] }
    : output;
};

/** Runs in a span with the caller and the outcome; the input is included only if the operator wants it. */
function tracedRun<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  ctx: Ctx<Services>,
): Promise<Output> {
  const { call, services } = ctx;
  const { tracer, config } = services;
  if (tracer === undefined) return runBooked(operation, input, ctx);
  const attributes = {
    'headgate.request': call.requestId,
    'headgate.workspace': call.caller.workspace,
    'headgate.agent': call.caller.agent,
    'headgate.input': config.telemetry.queries
      ? clip(redact(JSON.stringify(input)), LIMITS.traceInputCharsMax)
      : undefined,
  };
  return tracer.span(operation.contract.name, { attributes }, async (span) => {
    const output = await runBooked(operation, input, ctx);
    const { outcome, cached, credits } = output as { outcome?: string; cached?: boolean; credits?: number };
    span.set({ 'headgate.outcome': outcome, 'headgate.cached': cached, 'headgate.credits': credits });
    return output;
  });
}

/** Runs as one unit of work; the reported cost is what was booked. */
async function runBooked<Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  ctx: Ctx<Services>,
): Promise<Output> {
  const { call, services } = ctx;
  const name = [operation.contract.name, input];
  const { output, receipt } = await runUnit(name, ctx, (inner) =>
    operation.run(input, { call: inner, services }),
  );
  if (receipt === undefined || typeof output !== 'object' || output === null) return output;
  // A workspace is told what it paid for: nothing, where it joined another call or got no content. A person is told what the provider says.
  const isBooked = receipt.balanceAfter !== undefined || call.caller.workspace !== undefined;
  const credits = isBooked && 'credits' in output ? { credits: receipt.credits } : {};
  return { ...output, ...credits, cost: costOf(receipt) };
}
