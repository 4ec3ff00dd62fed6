import type { AgentTool, CallResult, ToolContext } from '../bridge/tool.ts';
import type { Call } from '../core/call.ts';
import { newRequestId } from '../core/ids.ts';
import { currentScope } from '../core/scope.ts';
import type { ToolEngine } from './engine.ts';
import { toInputSchema } from './input-schema.ts';
import type { Tool, ToolResult } from './tool.ts';

/** A tool bound to its engine, for agent frameworks: the context is optional. */
export interface BoundTool extends AgentTool {
  execute(input: unknown, context?: Partial<ToolContext>): Promise<CallResult>;
}

/**
 * The shape of structured content. It carries the whole answer: hosts show the model either the text or this, some only this, so
 * the text beside it only says where the answer is.
 */
export const STRUCTURED_SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'The whole answer.' },
    outcome: { type: 'string' },
    warnings: { type: 'array', items: { type: 'string' } },
    request_id: { type: 'string' },
    results: {
      type: 'array',
      items: { type: 'object', properties: { title: { type: 'string' }, url: { type: 'string' } } },
    },
  },
  required: ['text'],
} as const;
const ELSEWHERE = 'The answer is in structuredContent.';

/** Runs a tool, with optional work before and after it. */
export type RunTool = (tool: Tool, input: unknown, call: Call, engine: ToolEngine) => Promise<ToolResult>;

/** Runs a tool; where its run is recorded or replayed, as one call of that. */
const runInScope: RunTool = (tool, input, call, engine) =>
  engine.enter === undefined
    ? tool.run(input, call, engine)
    : engine.enter(
        tool.name,
        input,
        () => {
          if (currentScope() !== undefined) call.requestId = newRequestId();
          return tool.run(input, call, engine);
        },
        call.caller.workspace,
      );

/** Binds tools to an engine; `createCall` creates a call from the host's context and ends with the tool. */
export function bindTools(
  tools: readonly Tool[],
  engine: ToolEngine,
  createCall: (context: Partial<ToolContext>, tool: Tool, input: unknown) => Call & { end?(): void },
  runTool: RunTool = runInScope,
  isStructured: (context: Partial<ToolContext>) => boolean = () => false,
): BoundTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: tool.annotations,
    inputSchema: toInputSchema(tool.input),
    validates: true,
    ...(tool.outputCharsMax === undefined ? {} : { outputCharsMax: tool.outputCharsMax }),
    execute: async (input, context = {}) => {
      const call = createCall(context, tool, input);
      const result = await runTool(tool, input, call, engine).finally(() => call.end?.());
      // Hosts show the text of an error and drop the rest.
      const isData = result.isError !== true && isStructured(context);
      return {
        content: [{ type: 'text', text: isData ? ELSEWHERE : result.text }],
        ...(isData ? { structuredContent: { text: result.text, ...result.data, ...result.meta } } : {}),
        ...(result.isError === true ? { isError: true } : {}),
        ...(result.meta === undefined ? {} : { _meta: { 'headgate/result': result.meta } }),
      };
    },
  }));
}
