import type { SamplingAnswer, SamplingRequest } from '../core/call.ts';

/** A JSON Schema document (2020-12 unless it says otherwise), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The schema of a tool's arguments: MCP wants an object at the root. */
export interface JsonObjectSchema extends JsonSchema {
  readonly type: 'object';
}

/** Hints for a host; they are claims of the tool's author, never a permission. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Everything about one call that is not its input. */
export interface ToolContext {
  /** Aborted when the caller cancels or goes away. */
  signal: AbortSignal;
  callId: string;
  /** What the tool was given to work with; see `DepsContext`. */
  deps?: unknown;
  /** Tells the caller how far the call is; does nothing when nobody listens. */
  progress?: (done: number, total?: number, message?: string) => void;
  /** Asks the client's own model; absent when the client does not offer it. */
  requestSampling?: (request: SamplingRequest, signal?: AbortSignal) => Promise<SamplingAnswer>;
  /** The `_meta` of the request. */
  meta?: Record<string, unknown>;
  /** What the HTTP host found out about the caller; absent over stdio. */
  auth?: unknown;
  /** The `Idempotency-Key` header of the request; absent over stdio. */
  idempotencyKey?: string;
}

/**
 * A tool, as a shape: whoever has these fields is a tool, and no framework is imported.
 * `execute` may return a value, a promise, or a stream whose last value is the result and whose others are progress.
 */
export interface AgentTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObjectSchema;
  /** Promises structured output; the answer then carries `structuredContent` of this shape. */
  outputSchema?: JsonObjectSchema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  /** The tool checks its own arguments; the bridge then passes them on unchecked. */
  validates?: boolean;
  /** The longest text of an answer; the default is `LIMITS.toolTextCharsMax`. */
  outputCharsMax?: number;
  execute(input: Record<string, unknown>, context: ToolContext): unknown;
}

/** One piece of an answer, as MCP knows it. */
export interface ContentBlock {
  type: string;
  [field: string]: unknown;
}

/** An answer to `tools/call`. */
export interface CallResult {
  content: ContentBlock[];
  isError?: boolean;
  structuredContent?: unknown;
  _meta?: Record<string, unknown>;
  [field: string]: unknown;
}

/** True for objects that are data: literals and what JSON.parse makes, not instances of classes. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
