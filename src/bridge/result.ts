import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { redact } from '../core/log.ts';
import { clip } from '../core/text.ts';
import { isCallResult } from './content.ts';
import { explainProblems, problemsOf } from './schema/check.ts';
import type { AgentTool, CallResult, ContentBlock } from './tool.ts';

/**
 * Converts what a tool returned into an MCP result: a result passes unchanged, nothing becomes empty text,
 * text stays as it is, an error becomes an error, everything else becomes JSON.
 */
export function toCallResult(value: unknown, tool?: Pick<AgentTool, 'name' | 'outputSchema'>): CallResult {
  if (isCallResult(value)) return wellFormedResult(value);
  if (value instanceof Error) return errorResult(value);
  const text = textOfContent(value);
  if (tool?.outputSchema === undefined) return textResult(text);
  const structuredContent: unknown = typeof value === 'object' && value !== null ? JSON.parse(text) : value;
  const problems = problemsOf(tool.outputSchema, structuredContent);
  if (problems.length > 0) {
    return failure(
      'ToolOutputError',
      `${tool.name} returned a result that does not match its output schema. ${explainProblems(problems)}`,
    );
  }
  return { content: [{ type: 'text', text }], structuredContent };
}

export const textResult = (text: string): CallResult => ({
  content: [{ type: 'text', text: wellFormed(text) }],
});

/**
 * Converts what a tool threw into a result that the model can read: `Error: {Name}: {message}`, or `Error:
 * {message}` without a specific name.
 */
export function errorResult(thrown: unknown): CallResult {
  const { name, message } = describe(thrown);
  return failure(name, message);
}

const failure = (name: string, message: string): CallResult => ({
  content: [
    {
      type: 'text',
      text: wellFormed(
        redact(clip(`Error: ${name === 'Error' ? '' : `${name}: `}${message}`, LIMITS.toolTextCharsMax)),
      ),
    },
  ],
  isError: true,
});

function describe(thrown: unknown): { name: string; message: string } {
  try {
    if (thrown instanceof HeadgateError) {
      // The class name means nothing to a model, unless it is a specific one.
      const name = thrown.name === 'HeadgateError' ? 'Error' : thrown.name;
      return { name, message: thrown.explanation };
    }
    if (typeof thrown !== 'object' || thrown === null) return { name: 'Error', message: String(thrown) };
    const { name, message } = thrown as { name?: unknown; message?: unknown };
    return {
      name: typeof name === 'string' && name !== '' ? name : 'Error',
      message: typeof message === 'string' ? message : textOfContent(thrown),
    };
  } catch {
    // A getter of the thrown object threw in turn.
    return { name: 'Error', message: 'The tool failed without giving a reason.' };
  }
}

/** A value as text: strings as they are, nothing as empty text, the rest as lossless JSON. */
export function textOfContent(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (value instanceof RegExp || isBytes(value)) return plain(value) as string;
  if (typeof value === 'object') return JSON.stringify(value, replacer) ?? '';
  // What is left is a number, a boolean, a BigInt, a symbol or a function.
  return (value as number).toString();
}

/**
 * JSON.stringify passes the result of `toJSON`, which for a Buffer is a list of numbers; the holder has the
 * value itself.
 */
function replacer(this: Record<string, unknown>, key: string, made: unknown): unknown {
  const value = this[key];
  return isBytes(value) ? plain(value) : plain(made);
}

const isBytes = (value: unknown): value is ArrayBuffer | ArrayBufferView =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

/**
 * JSON.stringify would throw on a BigInt, and write a Map, a Set, an Error or a regular expression as `{}`.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) {
    const entries = [...(value as Map<unknown, unknown>)];
    return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
  }
  if (value instanceof Set) return [...(value as Set<unknown>)];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp) return value.toString();
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64');
  if (value instanceof Headers || value instanceof URLSearchParams)
    return Object.fromEntries(value.entries());
  return value;
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const LONE_SURROGATE_ONCE = new RegExp(LONE_SURROGATE.source);

/**
 * Lone surrogates are legal in JavaScript and JSON escapes, but strict clients close the connection over
 * them.
 */
const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\uFFFD');

function wellFormedResult(result: CallResult): CallResult {
  if (!result.content.some((block) => LONE_SURROGATE_ONCE.test(textIn(block) ?? ''))) return result;
  const content = result.content.map((block) => {
    const text = textIn(block);
    return text === undefined ? block : { ...block, text: wellFormed(text) };
  });
  return { ...result, content };
}

/**
 * Keeps a result within what clients accept, and says so in the result. Texts are cut to `charsMax` in total;
 * a result that is too large otherwise becomes an error.
 */
export function capResult(result: CallResult, charsMax: number): CallResult {
  const total = result.content.reduce((sum, block) => sum + (textIn(block)?.length ?? 0), 0);
  if (total <= charsMax) return capWeight(result);
  let left = charsMax;
  const content = result.content.flatMap((block) => {
    const text = textIn(block);
    if (text === undefined) return [block];
    if (left <= 0) return [];
    const kept = clip(text, left);
    left -= kept.length;
    return [{ ...block, text: kept }];
  });
  const note = `[Cut: the answer has ${total} characters, ${charsMax} are shown. Ask for less at a time.]`;
  return capWeight({ ...result, content: [...content, { type: 'text', text: note }] });
}

const textIn = (block: ContentBlock): string | undefined =>
  block.type === 'text' ? (block['text'] as string) : undefined;

function capWeight(result: CallResult): CallResult {
  if (result.structuredContent === undefined && result.content.every(({ type }) => type === 'text'))
    return result;
  const bytes = JSON.stringify(result).length;
  if (bytes <= LIMITS.toolAnswerBytesMax) return result;
  return failure(
    'ToolOutputError',
    `The answer has ${bytes} bytes, more than ${LIMITS.toolAnswerBytesMax}. Ask for less at a time.`,
  );
}
