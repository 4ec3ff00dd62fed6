import type { Confirmation, SamplingAnswer, SamplingRequest } from '../core/call.ts';

/** A JSON Schema document (2020-12 unless it says otherwise), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The schema of a tool's arguments: MCP requires an object at the root. */
export interface JsonObjectSchema extends JsonSchema {
  readonly type: 'object';
}

/** Hints for a host. They are claims of the tool's author, never a permission. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Everything about one call that is not its input. */
export interface ToolContext {
  /** Aborts when the caller cancels or disconnects. */
  signal: AbortSignal;
  callId: string;
  /** The dependencies of the tool; see `DepsContext`. */
  deps?: unknown;
  /** Reports progress to the caller; does nothing when nobody listens. */
  progress?: (done: number, total?: number, message?: string, isWarning?: boolean) => void;
  /** Asks the client's model (sampling); absent when the client does not support it. */
  requestSampling?: (request: SamplingRequest, signal?: AbortSignal) => Promise<SamplingAnswer>;
  /** Asks the person at the client (elicitation); absent when the client does not support it. */
  requestConfirmation?: (question: string) => Promise<Confirmation>;
  /** The `_meta` of the request. */
  meta?: Record<string, unknown>;
  /** What the HTTP host knows about the caller; absent over stdio. */
  auth?: unknown;
  /** The `Idempotency-Key` header of the request; absent over stdio. */
  idempotencyKey?: string;
  /** The revision of MCP that the client speaks. */
  protocolVersion?: string;
  /** The client's MCP session; absent over stdio and for clients without sessions. */
  sessionId?: string;
}

/**
 * A tool is any object with these fields; no framework is imported. `execute` may return a value, a promise,
 * or a stream whose last value is the result and whose others are progress.
 */
export interface AgentTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObjectSchema;
  /** Declares structured output; the result then has `structuredContent` of this shape. */
  outputSchema?: JsonObjectSchema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  /** True when the tool checks its own arguments; the bridge then passes them on unchecked. */
  validates?: boolean;
  /** The longest text of a result; the default is `LIMITS.toolTextCharsMax`. */
  outputCharsMax?: number;
  execute(input: Record<string, unknown>, context: ToolContext): unknown;
}

/** One piece of a result, as MCP defines it. */
export interface ContentBlock {
  type: string;
  [field: string]: unknown;
}

/** The result of `tools/call`. */
export interface CallResult {
  content: ContentBlock[];
  isError?: boolean;
  structuredContent?: unknown;
  _meta?: Record<string, unknown>;
  [field: string]: unknown;
}

/** True for plain objects: literals and results of JSON.parse, not class instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
