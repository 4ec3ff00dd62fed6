import type { CallHooks } from '../../bridge/call.ts';
import type { CallResult, ToolContext } from '../../bridge/tool.ts';
import { HeadgateError, type FailureCode } from '../../core/errors.ts';
import { noteCall, type CallFacts } from '../door/note-call.ts';
import type { GatewayContext } from '../door/context.ts';

/** What our tools report about a call besides their text. */
interface ResultMeta extends Omit<CallFacts, 'credits'> {
  code?: FailureCode;
  cost?: { credits?: number };
  request_id?: string;
}

/** Counts MCP tool calls like HTTP calls, by tool and agent. */
export function noteTools(gateway: GatewayContext): Required<CallHooks> {
  const begun = new WeakMap<ToolContext, ReturnType<typeof noteCall>>();
  return {
    beforeCall: ({ tool, context }) => void begun.set(context, noteCall(gateway, tool.name, 'mcp')),
    afterCall: ({ context }, result) => {
      const noted = begun.get(context);
      if (noted === undefined) return;
      const meta = metaOf(result);
      noted.begin({ requestId: meta.request_id ?? '', caller: context.auth ?? {} });
      const code = result === undefined ? 'cancelled' : meta.code;
      if (code === undefined) return noted.done({ ...meta, credits: meta.cost?.credits ?? 0 });
      noted.failed(new HeadgateError(code, 'A tool failed.', { data: { attempts: meta.attempts } }));
    },
  };
}

const metaOf = (result: CallResult | undefined): ResultMeta =>
  (result?._meta?.['headgate/result'] as ResultMeta | undefined) ?? {};
