import type { AgentTool } from '../../bridge/tool.ts';
import type { Caller } from '../../core/call.ts';
import { LIMITS } from '../../core/limits.ts';
import { readingTimeoutMs } from '../../operations/extract/extract.ts';
import { createCall } from '../../operations/perform.ts';
import { costOf, runUnit } from '../../operations/run-unit.ts';
import type { Services } from '../../operations/services.ts';
import { bindTools, type CallContext, type RunTool } from '../../tools/bind.ts';
import { engineOf } from '../../tools/engine.ts';
import type { Toolset, ToolResult } from '../../tools/tool.ts';

/**
 * Our tools in the bridge's shape: the product is served by the same code as everybody's tools. An HTTP host hands the
 * caller over as the bridge's `auth`; over stdio there is only the person at this machine.
 */
export const toAgentTools = (toolset: Pick<Toolset, 'tools'>, services: Services): AgentTool[] =>
  bindTools(
    toolset.tools,
    engineOf(services),
    ({ signal, progress, requestSampling, auth, ...context }, { asksModel = false, pagesIn }, input) =>
      createCall(services, {
        ...(pagesIn === undefined
          ? {}
          : { timeoutMs: readingTimeoutMs(pagesIn(input), services.config.search.timeout_ms) }),
        ...(signal === undefined ? {} : { signal }),
        ...(auth === undefined ? {} : { caller: auth as Caller }),
        ...idempotencyOf(context),
        ...(requestSampling === undefined ? {} : { requestSampling }),
        ...(requestSampling !== undefined && asksModel ? { timeoutMs: LIMITS.researchStreamMs } : {}),
        progress: (report) => progress?.(report.done, report.total, report.message),
      }),
    bookedIn(services),
  );

/** A key in the `_meta` of a call is of that call alone, so it goes before one in a header. Whether it is a good one is checked where it is used. */
function idempotencyOf({ meta, idempotencyKey }: CallContext): { idempotencyKey?: string } {
  const key = meta?.['headgate/idempotency-key'] ?? idempotencyKey;
  return key === undefined ? {} : { idempotencyKey: typeof key === 'string' ? key : JSON.stringify(key) };
}

/** A call of a tool is one unit of work, whatever it asks for; its result says what was booked. */
const bookedIn =
  (services: Services): RunTool =>
  async (tool, input, call, engine) => {
    const { output, receipt } = await runUnit<ToolResult>(
      [tool.name, input],
      call,
      services,
      (inner) => tool.run(input, inner, engine),
      (result) => result.isError === true,
    );
    if (receipt === undefined) return output;
    const told = output.meta?.['cost'] as object | undefined;
    const cost = receipt.balanceAfter === undefined ? { ...costOf(receipt), ...told } : costOf(receipt);
    return { ...output, meta: { ...output.meta, cost } };
  };
