import type { AgentTool, CallResult, ToolContext } from '../bridge/tool.ts';
import type { Surface } from '../core/call-row.ts';
import type { Caller } from '../core/call.ts';
import { systemClock } from '../core/clock.ts';
import type { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { clip } from '../core/text.ts';
import { TOOL_ERROR, traced } from '../core/trace.ts';
import { createCall, identified, readingTimeoutMs } from '../operations/perform.ts';
import { noted } from '../operations/noted.ts';
import { costOf, runUnit } from '../operations/run-unit.ts';
import type { Services } from '../operations/services.ts';
import { bindTools, STRUCTURED_SCHEMA, type RunTool } from '../toolsets/bind.ts';
import { createFailedEngine, engineOf } from '../toolsets/engine.ts';
import type { Toolset, ToolResult } from '../toolsets/tool.ts';

/**
 * Converts our tools to the bridge's format, so they are served by the same code as bridged tools. Over HTTP
 * the caller arrives as the bridge's `auth`; over stdio it is the local user.
 */
export const toAgentTools = (
  toolset: Pick<Toolset, 'tools'>,
  services: Services,
  surface: Surface = 'stdio',
): AgentTool[] =>
  bindTools(
    toolset.tools,
    engineOf(services),
    (
      { signal, progress, requestSampling, requestConfirmation, auth, ...context },
      { asksModel = false, pagesIn },
      input,
    ) =>
      createCall(services, {
        surface,
        ...(pagesIn === undefined
          ? {}
          : { timeoutMs: readingTimeoutMs(pagesIn(input), services.config.search.timeout_ms) }),
        ...(signal === undefined ? {} : { signal }),
        ...(auth === undefined ? {} : { caller: auth as Caller }),
        ...idempotencyOf(context),
        ...(requestSampling === undefined ? {} : { requestSampling }),
        ...(requestConfirmation === undefined ? {} : { requestConfirmation }),
        ...(requestSampling !== undefined && asksModel ? { timeoutMs: LIMITS.researchStreamMs } : {}),
        progress: ({ done, total, message, isWarning }) => progress?.(done, total, message, isWarning),
      }),
    bookedIn(services),
    ({ meta }) => services.config.mcp.structured || meta?.['headgate/structured'] === true,
  ).map((tool) => ({
    ...tool,
    // Over stdio tools are listed before the configuration is read.
    ...(services.config.mcp.structured && surface !== 'stdio' ? { outputSchema: STRUCTURED_SCHEMA } : {}),
    execute: (input, context) => tracedCall(tool, context, services, () => tool.execute(input, context)),
  }));

/**
 * Runs a tool in a span with the names of OpenTelemetry's MCP and GenAI conventions. The caller's trace is in
 * the message, because one connection carries the calls of many traces.
 */
const tracedCall = (
  { name }: AgentTool,
  { meta, callId, protocolVersion, sessionId }: Partial<ToolContext>,
  { tracer }: Services,
  run: () => Promise<CallResult>,
): Promise<CallResult> => {
  const carried = meta?.['traceparent'];
  const attributes = {
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': protocolVersion,
    'mcp.session.id': sessionId,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'jsonrpc.request.id': callId === undefined ? undefined : clip(callId, LIMITS.traceInputCharsMax),
  };
  const options = {
    kind: 'server',
    attributes,
    carried: typeof carried === 'string' ? carried : undefined,
  } as const;
  return traced(tracer, `tools/call ${name}`, options, async (span) => {
    const result = await run();
    if (result.isError === true) span.fail(TOOL_ERROR);
    return result;
  });
};

/** The tools when the engine cannot start: every answer reports the reason, in the format of its toolset. */
export const failedTools = (toolset: Toolset, error: HeadgateError): AgentTool[] =>
  bindTools(toolset.tools, createFailedEngine(error), ({ signal }) => ({
    requestId: newRequestId(),
    caller: {},
    signal: signal ?? new AbortController().signal,
    deadline: systemClock.now() + LIMITS.callTimeoutMs,
  }));

/** A key in `_meta` belongs to this call and takes precedence over a header. It is validated on use. */
function idempotencyOf({ meta, idempotencyKey }: Partial<ToolContext>): { idempotencyKey?: string } {
  const key = meta?.['headgate/idempotency-key'] ?? idempotencyKey;
  return key === undefined ? {} : { idempotencyKey: typeof key === 'string' ? key : JSON.stringify(key) };
}

/** A tool call is one unit of work; its result reports what was booked. */
const bookedIn =
  (services: Services): RunTool =>
  async (tool, input, call, engine) => {
    const { output, receipt } = await identified(
      { name: tool.name, input },
      { call, services },
      (named, own) =>
        noted(
          named,
          own,
          (ctx) =>
            runUnit<ToolResult>(
              [tool.name, input],
              ctx,
              (inner) => tool.run(input, inner, engine),
              (result) => result.isError === true,
            ),
          (booked) => booked.output,
        ),
    );
    if (receipt === undefined) return output;
    const told = output.meta?.['cost'] as object | undefined;
    const cost = receipt.balanceAfter === undefined ? { ...costOf(receipt), ...told } : costOf(receipt);
    return { ...output, meta: { ...output.meta, cost } };
  };
