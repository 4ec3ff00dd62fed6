// The public API of `headgate/tools`: ready tools for agent frameworks, in process or over a gateway. Each function takes the
// framework's own constructor, so nothing of a framework is imported and its version is the one that you have.
import type { WebTool } from './client/types.ts';
import { FAILURES, type FailureCode, HeadgateError } from './core/errors.ts';
import { named } from './core/own-text.ts';
import { clip } from './core/text.ts';

export type { WebTool, WebToolResult } from './client/types.ts';

/** What has tools: `createHeadgate()` or `createClient()`. */
export interface WebToolSource {
  agentTools(toolset?: string): Promise<WebTool[]>;
}

export interface ToolsOptions {
  /** One of the toolsets of `--tools`; `default` if not given. */
  toolset?: string;
}

/** The JSON Schema of a tool's arguments. */
export interface ToolParameters {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
}

export interface AiSdkTool<Schema> {
  description: string;
  inputSchema: Schema;
  execute(input: unknown, options: { abortSignal?: AbortSignal }): Promise<string>;
}

/**
 * Tools for the AI SDK by name, for `generateText` and `streamText`. A failure is thrown: the AI SDK makes a `tool-error` of it, which
 * the model reads.
 * `jsonSchema` is that of the package `ai`.
 */
export async function aiSdkTools<Schema>(
  source: WebToolSource,
  jsonSchema: (schema: ToolParameters) => Schema,
  options?: ToolsOptions,
): Promise<Record<string, AiSdkTool<Schema>>> {
  const tools = await portableTools(source, options);
  const made = tools.map(({ name, description, parameters, run }): [string, AiSdkTool<Schema>] => [
    name,
    {
      description,
      inputSchema: jsonSchema(parameters),
      execute: async (input, { abortSignal }) => {
        const { text, error } = await run(input, abortSignal);
        if (error !== undefined) throw error;
        return text;
      },
    },
  ]);
  return Object.fromEntries(made);
}

/** Tools for LangChain.js and LangGraph; `tool` is that of `@langchain/core/tools`. */
export async function langChainTools<Tool>(
  source: WebToolSource,
  tool: (
    run: (input: unknown, config?: { signal?: AbortSignal }) => Promise<string>,
    fields: { name: string; description: string; schema: ToolParameters },
  ) => Tool,
  options?: ToolsOptions,
): Promise<Tool[]> {
  const tools = await portableTools(source, options);
  return tools.map(({ name, description, parameters, run }) =>
    tool(async (input, config) => (await run(input, config?.signal)).text, {
      name,
      description,
      schema: parameters,
    }),
  );
}

/** Tools for the OpenAI Agents SDK; `tool` is that of `@openai/agents`. */
export async function openAiAgentsTools<Tool>(
  source: WebToolSource,
  tool: (options: {
    name: string;
    description: string;
    parameters: ToolParameters & { additionalProperties: true };
    /** Strict schemas have no optional fields. */
    strict: false;
    execute(input: unknown, context?: unknown, details?: { signal?: AbortSignal }): Promise<string>;
  }) => Tool,
  options?: ToolsOptions,
): Promise<Tool[]> {
  const tools = await portableTools(source, options);
  return tools.map(({ name, description, parameters, run }) =>
    tool({
      name,
      description,
      parameters: { ...parameters, additionalProperties: true },
      strict: false,
      execute: async (input, _context, details) => (await run(input, details?.signal)).text,
    }),
  );
}

/** Tools for Mastra by name; `createTool` is that of `@mastra/core/tools`. */
export async function mastraTools<Tool>(
  source: WebToolSource,
  createTool: (options: {
    id: string;
    description: string;
    inputSchema: ToolParameters;
    execute(input: unknown, context?: { abortSignal?: AbortSignal }): Promise<string>;
  }) => Tool,
  options?: ToolsOptions,
): Promise<Record<string, Tool>> {
  const tools = await portableTools(source, options);
  const made = tools.map(({ name, description, parameters, run }): [string, Tool] => [
    name,
    createTool({
      id: name,
      description,
      inputSchema: parameters,
      execute: async (input, context) => (await run(input, context?.abortSignal)).text,
    }),
  ]);
  return Object.fromEntries(made);
}

interface PortableTool {
  name: string;
  description: string;
  parameters: ToolParameters;
  /** Never throws, unless the caller's signal was aborted. */
  run(input: unknown, signal: AbortSignal | undefined): Promise<Ran>;
}

interface Ran {
  /** For the model, also when the call failed. */
  text: string;
  error?: HeadgateError;
}

async function portableTools(source: WebToolSource, { toolset }: ToolsOptions = {}): Promise<PortableTool[]> {
  const tools = await source.agentTools(toolset);
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? tool.title ?? tool.name,
    parameters: { type: 'object', properties: {}, required: [], ...tool.inputSchema },
    run: (input, signal = new AbortController().signal) => run(tool, input, signal),
  }));
}

async function run(tool: WebTool, input: unknown, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted();
  try {
    const { content, isError, _meta } = await tool.execute(input, { signal });
    const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
    const text = clip(texts.join('\n\n'), TEXT_CHARS_MAX);
    return isError === true ? failed(text, _meta?.['headgate/result'] ?? {}) : { text };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const { code, explanation, remediation, retryable, retryAfterMs } = HeadgateError.from(thrown);
    return failed(explanation, { code, remediation, retryable, retry_after_ms: retryAfterMs });
  }
}

/** More than any of our tools answers; what a gateway of others sends is cut. */
const TEXT_CHARS_MAX = 200_000;

/** What a failed tool reports for programs, as in `_meta`. */
interface FailureFacts {
  code?: string | undefined;
  remediation?: string | undefined;
  retryable?: boolean | undefined;
  retry_after_ms?: number | undefined;
}

function failed(reason: string, facts: FailureFacts): Ran {
  const { code = '', remediation, retryable, retry_after_ms: retryAfterMs } = facts;
  const wait = retryAfterMs === undefined ? '' : ` after ${Math.ceil(retryAfterMs / 1_000)} s`;
  const next = retryable === undefined ? '' : `\nRetryable: ${retryable ? `yes${wait}` : 'no'}.`;
  const text = reason + next;
  const error = new HeadgateError(
    Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'upstream_bad_answer',
    named(text),
    {
      ...(remediation === undefined ? {} : { remediation: named(remediation) }),
      ...(retryable === undefined ? {} : { retryable }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
  return { text, error };
}
