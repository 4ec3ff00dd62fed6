import type { Call, SamplingAnswer, SamplingRequest } from '../core/call.ts';
import type { ToolEngine } from './engine.ts';
import { toInputSchema, type InputSchema } from './input-schema.ts';
import type { Tool, ToolResult } from './tool.ts';

/** What a host says about one call. */
export interface CallContext {
  signal?: AbortSignal;
  progress?(done: number, total?: number, message?: string): void;
  /** Asks the client's own model, when it offers one. */
  requestSampling?(request: SamplingRequest, signal?: AbortSignal): Promise<SamplingAnswer>;
  /** What an HTTP host found out about the caller. */
  auth?: unknown;
  /** Under which the same call is answered again instead of made again. */
  idempotencyKey?: string;
  /** What the client sent along with the call. */
  meta?: Record<string, unknown>;
}

/** A tool with its engine, in the shape that the bridge and most agent frameworks know. */
export interface BoundTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: InputSchema;
  /** It checks its own arguments, leniently and in its own words. */
  validates: true;
  outputCharsMax?: number;
  execute(input: unknown, context?: CallContext): Promise<BoundResult>;
}

export interface BoundResult {
  content: { type: 'text'; text: string }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** Runs a tool, and may do something before and after it. */
export type RunTool = (tool: Tool, input: unknown, call: Call, engine: ToolEngine) => Promise<ToolResult>;

/** Tools that work with this engine; `createCall` makes a call of what the host says, which is ended with the tool. */
export function bindTools(
  tools: readonly Tool[],
  engine: ToolEngine,
  createCall: (context: CallContext, tool: Tool, input: unknown) => Call & { end?(): void },
  runTool: RunTool = (tool, input, call) => tool.run(input, call, engine),
): BoundTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    inputSchema: toInputSchema(tool.input),
    validates: true,
    ...(tool.outputCharsMax === undefined ? {} : { outputCharsMax: tool.outputCharsMax }),
    execute: async (input, context = {}) => {
      const call = createCall(context, tool, input);
      const result = await runTool(tool, input, call, engine).finally(() => call.end?.());
      return {
        content: [{ type: 'text', text: result.text }],
        ...(result.isError === true ? { isError: true } : {}),
        ...(result.meta === undefined ? {} : { _meta: { 'headgate/result': result.meta } }),
      };
    },
  }));
}
