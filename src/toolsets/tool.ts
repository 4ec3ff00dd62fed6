import type { z } from 'zod';
import { parseInput } from '../contract/parse.ts';
import type { Call } from '../core/call.ts';
import type { KeyScope } from '../core/grant.ts';
import { HeadgateError } from '../core/errors.ts';
import type { ToolAnnotations } from '../bridge/tool.ts';
import { outcomeOf } from '../core/outcome.ts';
import { clip, oneLine, plural, type SafeText } from '../core/text.ts';
import type { ToolEngine } from './engine.ts';
import type { ToolsetLanguage } from './offered.ts';

/** The result of a tool: text for the model, an error flag, and `_meta`. */
export interface ToolResult {
  text: SafeText;
  isError?: boolean;
  meta?: Record<string, unknown>;
  /** What of the answer is data, beside its text. Clients get it with structured content only. */
  data?: Record<string, unknown>;
}

/** A tool: a name, a schema and a function. It does not depend on the server. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  /** The scope that a key needs to call it; absent when that depends on the arguments. */
  scope?: KeyScope;
  /** The longest text of an answer, if not the default. */
  outputCharsMax?: number;
  /** It may ask the client's model, which can take as long as a user needs to approve it. */
  asksModel?: boolean;
  /** How many pages a call reads; each has its own time limit. */
  pagesIn?(raw: unknown): number;
  run(raw: unknown, call: Call, engine: ToolEngine): Promise<ToolResult>;
}

/** A named set of tools, chosen with `--tools`. */
export interface Toolset {
  id: string;
  /** The language of its texts, if not English. */
  language?: ToolsetLanguage;
  /** One line for `--tools` help. */
  summary: string;
  /** The server name that clients see. */
  serverName: string;
  instructions?: string;
  tools: Tool[];
}

interface ToolDefinition<Input extends z.ZodObject> {
  name: string;
  scope?: KeyScope;
  title: string;
  description: string;
  /** What hosts may assume, if not that it only reads. */
  annotations?: ToolAnnotations;
  input: Input;
  asksModel?: boolean;
  pagesIn?(raw: unknown): number;
  /** Normalises arguments before validation. */
  prepare?(raw: unknown): unknown;
  run(input: z.output<Input>, call: Call, engine: ToolEngine): Promise<ToolResult>;
  /** Renders the failure of a call with these arguments. */
  fail(error: HeadgateError, raw: unknown, call: Call): ToolResult;
}

/** Sessions and caches that a tool keeps for itself are not changes to anybody's environment. */
const READS_THE_WEB: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };

/** Wraps a definition: every call is validated, logged (start, done or failed, with ms) and never throws. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, scope, title, description, input, asksModel = false, pagesIn } = definition;
  const { annotations = READS_THE_WEB } = definition;
  return {
    name,
    ...(scope === undefined ? {} : { scope }),
    title,
    description,
    annotations,
    input,
    ...(asksModel ? { asksModel } : {}),
    ...(pagesIn === undefined ? {} : { pagesIn }),
    run: async (raw, call, engine) => {
      const started = engine.clock.now();
      const done = (status: 'success' | 'failed', code?: string): void =>
        engine.log.info('tool_done', {
          tool: name,
          request: call.requestId,
          status,
          ...(code === undefined ? {} : { code }),
          ms: engine.clock.now() - started,
        });
      engine.log.info('tool_start', { tool: name, request: call.requestId, input: summaryOf(raw) });
      try {
        const result = await definition.run(
          parseInput(input, withoutNulls(definition.prepare?.(raw) ?? raw)),
          call,
          engine,
        );
        done(result.isError === true ? 'failed' : 'success');
        return result;
      } catch (thrown) {
        const error = HeadgateError.from(thrown);
        done('failed', error.code);
        // A cancelled call has no reader: the protocol layer must see the abort.
        if (call.signal.aborted && error.code === 'cancelled') throw error;
        if (error.type === 'internal') engine.log.error('tool_failed', { tool: name, cause: error.cause });
        const result = definition.fail(error, raw, call);
        return { ...result, meta: { ...metaOfFailure(error, call), ...result.meta }, isError: true };
      }
    },
  };
}

/** The failure for programs; the text is for the model. */
const metaOfFailure = (error: HeadgateError, call: Call): Record<string, unknown> => ({
  outcome: outcomeOf(error),
  code: error.code,
  retryable: error.retryable,
  ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: error.retryAfterMs }),
  ...(error.remediation === undefined ? {} : { remediation: error.remediation }),
  ...(error.data['attempts'] === undefined ? {} : { attempts: error.data['attempts'] }),
  request_id: call.requestId,
});

/** Many models send null for omitted arguments. */
const withoutNulls = (raw: unknown): unknown =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
    : raw;

/** The arguments on one short line, for the log. */
const summaryOf = (raw: unknown): string =>
  Object.entries(typeof raw === 'object' && raw !== null ? raw : {})
    .slice(0, SUMMARY_FIELDS)
    .map(([name, value]) => `${clip(oneLine(name), SUMMARY_CHARS)}=${summaryOfValue(value)}`)
    .join(', ');

const SUMMARY_FIELDS = 20;
const SUMMARY_CHARS = 50;

function summaryOfValue(value: unknown): string {
  if (typeof value === 'string') return clip(oneLine(value.slice(0, 4 * SUMMARY_CHARS)), SUMMARY_CHARS);
  if (Array.isArray(value)) return `[${plural(value.length, 'value')}]`;
  return typeof value === 'object' && value !== null ? 'object' : String(value);
}
