import { HeadgateError } from '../core/errors.ts';
import { own, named } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import { clip } from '../core/text.ts';
import { capResult, errorResult, textOfContent, textResult, toCallResult } from './result.ts';
import { explainProblems, problemsOf } from './schema/check.ts';
import type { AgentTool, CallResult, ToolContext } from './tool.ts';

/** One call, as hooks see it. */
export interface ToolCall {
  tool: AgentTool;
  input: Record<string, unknown>;
  context: ToolContext;
}

/** Hooks with which a host can observe, refuse, count and charge calls. */
export interface CallHooks {
  /** Runs before the tool. Throwing refuses the call; the error is reported to the caller. */
  beforeCall?(call: ToolCall): void | Promise<void>;
  /**
   * Runs exactly once after every call that `beforeCall` let through. Without a result the call was
   * cancelled.
   */
  afterCall?(call: ToolCall, result: CallResult | undefined): void | Promise<void>;
}

export interface ToolCallOptions extends CallHooks {
  logger?: Logger;
  /**
   * Aborts the tool's signal after this time and reports it to the caller. Without it only the caller ends a
   * call.
   */
  timeoutMs?: number;
}

/**
 * Calls a tool: checks the arguments, runs it, normalises and caps the result. It always returns a result,
 * and throws only when the call was cancelled.
 */
export async function callTool(
  tool: AgentTool,
  input: Record<string, unknown>,
  context: ToolContext,
  options: ToolCallOptions = {},
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
  let refusal: CallResult | undefined;
  try {
    result = await run(call, options);
  } finally {
    refusal = await settle(call, result, options);
  }
  return refusal ?? result;
}

/** The result for invalid arguments, worded so that the model can correct the call. */
export const invalidArguments = (name: string, explanation: string): CallResult => ({
  ...textResult(`Invalid arguments for ${name}.\n${explanation}`),
  isError: true,
});

async function run({ tool, input, context }: ToolCall, options: ToolCallOptions): Promise<CallResult> {
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
 * Runs a tool and aborts its signal when the caller leaves or the time is over. A tool that ignores the
 * signal runs on, but is only waited for briefly.
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

/** What the caller gets instead of a result that could not be booked. Any other failure of the hook is for the host to see. */
async function settle(
  call: ToolCall,
  result: CallResult | undefined,
  options: ToolCallOptions,
): Promise<CallResult | undefined> {
  try {
    await options.afterCall?.(call, result);
  } catch (thrown) {
    (options.logger ?? silentLogger).error('after_call_failed', { tool: call.tool.name, error: thrown });
    if (HeadgateError.from(thrown).code === 'storage_unavailable') return errorResult(thrown);
  }
  return undefined;
}

/**
 * The last value of a stream, with the earlier ones reported as progress; any other value is returned as it
 * is.
 */
async function lastValue(value: unknown, { signal, progress }: ToolContext): Promise<unknown> {
  if (!isStream(value)) return value;
  let last: unknown;
  let count = 0;
  for await (const each of value) {
    signal.throwIfAborted();
    if (count > 0) progress?.(count, undefined, clip(textOfContent(last), LIMITS.toolProgressCharsMax));
    count += 1;
    last = each;
  }
  return last;
}

/** True for async iterables and generators. Other iterables, such as lists and maps, are values. */
function isStream(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  if (Symbol.asyncIterator in value) return true;
  return Symbol.iterator in value && 'next' in value && typeof value.next === 'function';
}

/** A response of `fetch`, also of another implementation, which is no instance of ours. */
type WebResponse = Pick<Response, 'status' | 'statusText' | 'headers' | 'body'>;

/**
 * Replaces a web response or blob that a tool returned by its body: JSON as data, an image or sound as a
 * content block, anything else as text. An error status is a failure of the tool.
 */
async function readWebBody(value: unknown): Promise<unknown> {
  // Naming `Response` loads Node's whole web client, so what is no body is returned before.
  if (typeof (value as Partial<Blob> | null | undefined)?.arrayBuffer !== 'function') return value;
  const response = value instanceof Blob ? new Response(value) : value;
  if (!isResponse(response)) return value;
  const { status, statusText, headers } = response;
  const bytes = await readBytes(response);
  if (status >= 400) {
    const message = [`HTTP ${status} ${statusText}`.trim(), bytes.toString()].filter((part) => part !== '');
    throw new Error(message.join(': '));
  }
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const [family] = type.split('/');
  if (family === 'image' || family === 'audio') {
    const block = { type: family, data: bytes.toString('base64'), mimeType: type };
    return { content: [block] } satisfies CallResult;
  }
  return /\bjson$/.test(type) ? parsed(bytes.toString()) : bytes.toString();
}

const isResponse = (value: unknown): value is WebResponse =>
  typeof (value as Partial<Response>).status === 'number';

async function readBytes({ body }: WebResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LIMITS.toolAnswerBytesMax) {
      const message = `The response has more than ${LIMITS.toolAnswerBytesMax} bytes. Ask for less at a time.`;
      throw Object.assign(new Error(message), { name: 'ToolOutputError' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A body that does not match its header is still the tool's result.
    return text;
  }
}
