import type { z } from 'zod';
import { parseInput } from '../contract/parse.ts';
import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Services } from '../operations/services.ts';

/** What a tool hands to the model: text, whether it is an error, and facts that ride along out of band. */
export interface ToolResult {
  text: string;
  isError?: boolean;
  meta?: Record<string, unknown>;
}

/** A tool is a name, a schema and what it does; the server around it is somebody else's business. */
export interface Tool {
  name: string;
  title?: string;
  description: string;
  input: z.ZodObject;
  run(raw: unknown, call: Call, services: Services): Promise<ToolResult>;
}

/** A named set of tools, chosen with `--tools`. */
export interface Toolset {
  id: string;
  /** One line for people choosing. */
  summary: string;
  /** What the server tells a client about itself. */
  serverName: string;
  instructions?: string;
  tools: Tool[];
}

interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  title?: string;
  description: string;
  input: Input;
  run(input: z.output<Input>, call: Call, services: Services): Promise<ToolResult>;
  /** How this tool words a failure. */
  fail(error: HeadgateError): ToolResult;
}

/** Wraps a definition so that every call is checked, logged (start, done or failed, with ms) and never throws. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, input } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    input,
    run: async (raw, call, services) => {
      const started = services.clock.now();
      const ms = () => services.clock.now() - started;
      services.log.info('tool_start', { tool: name, request: call.requestId });
      try {
        const result = await definition.run(parseInput(input, raw), call, services);
        services.log.info('tool_done', { tool: name, request: call.requestId, status: 'success', ms: ms() });
        return result;
      } catch (thrown) {
        const error = HeadgateError.from(thrown);
        services.log.info('tool_done', {
          tool: name,
          request: call.requestId,
          status: 'failed',
          code: error.code,
          ms: ms(),
        });
        // A cancelled call has no reader: the protocol layer must see the abort, not a text.
        if (call.signal.aborted && error.code === 'cancelled') throw error;
        return { ...definition.fail(error), isError: true };
      }
    },
  };
}
