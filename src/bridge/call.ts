import { LIMITS } from '../core/limits.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import { clip } from '../core/text.ts';
import { capResult, errorResult, textOf, textResult, toCallResult } from './result.ts';
import { explainProblems, problemsOf } from './schema-check.ts';
import type { AgentTool, CallResult, ToolContext } from './tool.ts';

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
    result = await run(call, options.logger ?? silentLogger);
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

async function run({ tool, input, context }: ToolCall, logger: Logger): Promise<CallResult> {
  const { signal } = context;
  try {
    const value = await lastValue(await tool.execute(input, context), context);
    signal.throwIfAborted();
    return capResult(toCallResult(value, tool), tool.outputCharsMax ?? LIMITS.toolTextCharsMax);
  } catch (thrown) {
    // Whatever a tool throws after its call was cancelled is the cancellation, not a failure of the tool.
    if (signal.aborted) throw signal.reason;
    logger.warn('tool_failed', { tool: tool.name, error: thrown });
    return errorResult(thrown);
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
