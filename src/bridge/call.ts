import { HeadgateError } from '../core/errors.ts';
import { own, named } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import { clip } from '../core/text.ts';
import { capResult, errorResult, textOf, textResult, toCallResult } from './result.ts';
import { explainProblems, problemsOf } from './schema/check.ts';
import type { AgentTool, CallResult, ToolContext } from './tool.ts';
import { readWebBody } from './web-body.ts';

/** One call, as a hook sees it. */
export interface ToolCall {
  tool: AgentTool;
  input: Record<string, unknown>;
  context: ToolContext;
}

/** Where a host can look at, refuse, count and charge calls. */
export interface CallHooks {
  /** Runs before the tool. A throw refuses the call and is what the caller is told. */
  beforeCall?(call: ToolCall): void | Promise<void>;
  /** Runs exactly once after every call that `beforeCall` let through; without a result the call was cancelled. */
  afterCall?(call: ToolCall, result: CallResult | undefined): void | Promise<void>;
}

export interface CallOptions extends CallHooks {
  logger?: Logger;
  /** After this long the tool's signal is aborted and the caller is told. Without it only the caller ends a call. */
  timeoutMs?: number;
}

/**
 * The one way in which a tool is called: check the arguments, run, normalise, cap. It always answers with a result;
 * it throws only when the call was cancelled, because nobody is left to read a result then.
 */
export async function callTool(
  tool: AgentTool,
  input: Record<string, unknown>,
  context: ToolContext,
  options: CallOptions = {},
): Promise<CallResult> {
  context.signal.throwIfAborted();
  if (tool.validates !== true) {
    const problems = problemsOf(tool.inputSchema, input);
    if (problems.length > 0) return invalidArguments(tool.name, explainProblems(problems));
  }
  const call: ToolCall = { tool, input, context };
  try {
    await options.beforeCall?.(call);
  } catch (thrown) {
    return errorResult(thrown);
  }
  let result: CallResult | undefined;
  try {
    result = await run(call, options);
  } finally {
    await settle(call, result, options);
  }
  return result;
}

/** Told to the model, so that it can call again. */
export const invalidArguments = (name: string, explanation: string): CallResult => ({
  ...textResult(`Invalid arguments for ${name}.\n${explanation}`),
  isError: true,
});

async function run({ tool, input, context }: ToolCall, options: CallOptions): Promise<CallResult> {
  const { signal } = context;
  const { logger = silentLogger, timeoutMs } = options;
  try {
    const value = await executeUntilStopped({ tool, input, context }, timeoutMs);
    signal.throwIfAborted();
    return capResult(toCallResult(value, tool), tool.outputCharsMax ?? LIMITS.toolTextCharsMax);
  } catch (thrown) {
    // Whatever a tool throws after its call was cancelled is the cancellation, not a failure of the tool.
    if (signal.aborted) throw signal.reason;
    logger.warn('tool_failed', { tool: tool.name, error: thrown });
    return errorResult(thrown);
  }
}

const execute = async ({ tool, input, context }: ToolCall): Promise<unknown> =>
  readWebBody(await lastValue(await tool.execute(input, context), context));

/**
 * The tool is told to stop when its caller goes away or its time is up. A tool that does not listen runs on, but after a
 * short while nobody waits for it.
 */
async function executeUntilStopped(call: ToolCall, timeoutMs: number | undefined): Promise<unknown> {
  const { tool, context } = call;
  const overtime = new AbortController();
  const signal =
    timeoutMs === undefined ? context.signal : AbortSignal.any([context.signal, overtime.signal]);
  const timers: NodeJS.Timeout[] = [];
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => {
      const graceMs = context.signal.aborted ? LIMITS.toolStopMs : 0;
      timers.push(setTimeout(() => reject(signal.reason), graceMs));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  if (timeoutMs !== undefined) {
    const message = own`${named(tool.name)} did not answer within ${timeoutMs / 1_000} s.`;
    const late = new HeadgateError('deadline_exceeded', message, { remediation: 'Ask for less at a time.' });
    timers.push(setTimeout(() => overtime.abort(late), timeoutMs));
  }
  try {
    return await Promise.race([execute({ ...call, context: { ...context, signal } }), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    for (const timer of timers) clearTimeout(timer);
  }
}

async function settle(call: ToolCall, result: CallResult | undefined, options: CallOptions): Promise<void> {
  try {
    await options.afterCall?.(call, result);
  } catch (thrown) {
    (options.logger ?? silentLogger).error('after_call_failed', { tool: call.tool.name, error: thrown });
  }
}

/** The last value of a stream, with the ones before it told as progress; any other value is itself. */
async function lastValue(value: unknown, { signal, progress }: ToolContext): Promise<unknown> {
  if (!isStream(value)) return value;
  let last: unknown;
  let count = 0;
  for await (const each of value) {
    signal.throwIfAborted();
    if (count > 0) progress?.(count, undefined, clip(textOf(last), LIMITS.toolProgressCharsMax));
    count += 1;
    last = each;
  }
  return last;
}

/** Async iterables, and generators; other iterables such as lists and maps are values. */
function isStream(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && 'next' in value && typeof value.next === 'function';
}
