import type { AgentTool } from '../../bridge/tool.ts';
import type { Caller } from '../../core/call.ts';
import { LIMITS } from '../../core/limits.ts';
import { createCall } from '../../operations/perform.ts';
import type { Services } from '../../operations/services.ts';
import { bindTools } from '../../tools/bind.ts';
import { engineOf } from '../../tools/engine.ts';
import type { Toolset } from '../../tools/tool.ts';

/**
 * Our tools in the bridge's shape: the product is served by the same code as everybody's tools. An HTTP host hands the
 * caller over as the bridge's `auth`; over stdio there is only the person at this machine.
 */
export const toAgentTools = (toolset: Pick<Toolset, 'tools'>, services: Services): AgentTool[] =>
  bindTools(
    toolset.tools,
    engineOf(services),
    ({ signal, progress, requestSampling, auth }, { asksModel = false }) =>
      createCall(services, {
        ...(signal === undefined ? {} : { signal }),
        ...(auth === undefined ? {} : { caller: auth as Caller }),
        ...(requestSampling === undefined ? {} : { requestSampling }),
        ...(requestSampling !== undefined && asksModel ? { timeoutMs: LIMITS.researchStreamMs } : {}),
        progress: (report) => progress?.(report.done, report.total, report.message),
      }),
  );
