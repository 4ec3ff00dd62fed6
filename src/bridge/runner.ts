import { errorResult } from './result.ts';
import type { SchemaFields } from './schema/place.ts';
import type { ToolContext } from './tool.ts';

/**
 * How the tools of a framework are called. The first shape that matches wins, so specific ones come first.
 */
interface Shape {
  fits: (tool: SchemaFields) => boolean;
  /** True when the framework checks and converts the arguments itself; doing it twice would convert twice. */
  parses: boolean;
  run: (tool: SchemaFields, input: Record<string, unknown>, context: ToolContext) => unknown;
}

const call = (tool: SchemaFields, method: string, ...values: unknown[]): unknown =>
  (tool[method] as (...values: unknown[]) => unknown)(...values);

const has = (tool: SchemaFields, method: string): boolean => typeof tool[method] === 'function';

/** OpenAI Agents: takes JSON text, and turns what the tool throws into this sentence. */
const openAiAgents: Shape = {
  fits: (tool) => tool['type'] === 'function' && has(tool, 'invoke'),
  parses: true,
  run: async (tool, input, { deps, signal, callId }) => {
    const runContext = { context: deps, usage: {} };
    const toolCall = { type: 'function_call', callId, name: tool['name'], arguments: JSON.stringify(input) };
    const result = await call(tool, 'invoke', runContext, toolCall.arguments, { toolCall, signal });
    const failed =
      typeof result === 'string' && result.startsWith('An error occurred while running the tool.');
    return failed ? { content: [{ type: 'text', text: result }], isError: true } : result;
  },
};

const langChain: Shape = {
  fits: (tool) => tool['lc_runnable'] === true && has(tool, 'invoke'),
  parses: true,
  run: (tool, input, { deps, signal, callId }) => {
    const configurable = typeof deps === 'object' && deps !== null ? deps : {};
    return call(tool, 'invoke', input, { signal, context: deps, configurable, metadata: { callId } });
  },
};

const googleAdk: Shape = {
  fits: (tool) => has(tool, 'runAsync'),
  parses: true,
  run: (tool, input, { deps, signal, callId }) =>
    call(tool, 'runAsync', {
      args: input,
      toolContext: { functionCallId: callId, abortSignal: signal, deps },
    }),
};

/**
 * Mastra: a tool with an ID and no name, which returns invalid arguments as an object instead of throwing.
 */
const mastra: Shape = {
  fits: (tool) => has(tool, 'execute') && typeof tool['id'] === 'string' && typeof tool['name'] !== 'string',
  parses: true,
  run: async (tool, input, context) => {
    const result = await call(tool, 'execute', input, {
      abortSignal: context.signal,
      requestContext: asMap(context.deps),
      deps: context.deps,
    });
    return isRefusal(result) ? errorResult({ name: 'ValidationError', message: result.message }) : result;
  },
};

const voltAgent: Shape = {
  fits: (tool) => has(tool, 'execute') && tool['type'] === 'user-defined',
  parses: false,
  run: (tool, input, { deps, signal, callId }) =>
    call(tool, 'execute', input, {
      context: asMap(deps),
      abortController: follower(signal),
      toolContext: { name: tool['name'], callId, messages: [], abortSignal: signal },
    }),
};

/** AI SDK 5, 6 and 7, and the bridge's own protocol: one object with all the fields that they look for. */
const execute: Shape = {
  fits: (tool) => has(tool, 'execute'),
  parses: false,
  run: (tool, input, context) =>
    call(tool, 'execute', input, {
      ...context,
      toolCallId: context.callId,
      messages: [],
      abortSignal: context.signal,
      context: context.deps,
      experimental_context: context.deps,
    }),
};

const strands: Shape = {
  fits: (tool) => typeof tool['toolSpec'] === 'object' && has(tool, 'invoke'),
  parses: true,
  run: (tool, input, { deps, signal, callId }) =>
    call(tool, 'invoke', input, {
      toolUse: { toolUseId: callId, input },
      invocationState: deps ?? {},
      cancelSignal: signal,
    }),
};

/** Genkit's tools are functions with an `__action`. */
const genkit: Shape = {
  fits: (tool) => typeof tool === 'function' && '__action' in tool,
  parses: true,
  run: (tool, input, { deps, signal }) =>
    (tool as unknown as (input: unknown, options: unknown) => unknown)(input, {
      context: deps,
      abortSignal: signal,
    }),
};

const llamaIndex: Shape = {
  fits: (tool) => has(tool, 'call') && typeof tool['metadata'] === 'object',
  parses: true,
  run: (tool, input, { deps }) => {
    const bound = deps !== undefined && has(tool, 'bind') ? (call(tool, 'bind', deps) as SchemaFields) : tool;
    return call(bound, 'call', input);
  },
};

/** Claude Agent SDK `tool()` and tools of MCP servers. */
const handler: Shape = {
  fits: (tool) => has(tool, 'handler'),
  parses: false,
  run: (tool, input, context) =>
    call(tool, 'handler', input, {
      signal: context.signal,
      requestId: context.callId,
      _meta: context.meta,
      deps: context.deps,
    }),
};

const anthropic: Shape = {
  fits: (tool) => has(tool, 'run'),
  parses: true,
  run: (tool, input, { signal }) =>
    call(tool, 'run', has(tool, 'parse') ? call(tool, 'parse', input) : input, { signal }),
};

/** The plain shape of bridge spec FR-004: `{ name, description, parametersJsonSchema, function }`. */
const plain: Shape = {
  fits: (tool) => has(tool, 'function'),
  parses: false,
  run: (tool, input, context) => call(tool, 'function', input, context),
};

const SHAPES = [
  openAiAgents,
  langChain,
  googleAdk,
  mastra,
  voltAgent,
  execute,
  strands,
  genkit,
  llamaIndex,
  handler,
  anthropic,
  plain,
];

export interface Runner {
  parses: boolean;
  run: (input: Record<string, unknown>, context: ToolContext) => unknown;
}

/** How to call a tool; undefined when it has no function. */
export function runnerOf(tool: SchemaFields): Runner | undefined {
  const shape = SHAPES.find(({ fits }) => fits(tool));
  return shape && { parses: shape.parses, run: (input, context) => shape.run(tool, input, context) };
}

const isRefusal = (value: unknown): value is { message: string } =>
  typeof value === 'object' &&
  value !== null &&
  (value as { error?: unknown }).error === true &&
  typeof (value as { message?: unknown }).message === 'string';

/** Some frameworks pass a map to their tools; the fields of an object become its entries. */
const asMap = (deps: unknown): Map<unknown, unknown> =>
  deps instanceof Map ? deps : new Map(Object.entries(typeof deps === 'object' && deps !== null ? deps : {}));

function follower(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  return controller;
}
