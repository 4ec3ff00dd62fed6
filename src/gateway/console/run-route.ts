import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseInput } from '../../contract/parse.ts';
import type { Caller } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { roleIn, workspacesWith } from '../../core/roles.ts';
import { redact } from '../../core/log.ts';
import type { Operation } from '../../operations/operation.ts';
import type { CallFacts } from '../../operations/noted.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { webToolsOf } from '../../store/agent-settings.ts';
import { archivedRefusal } from '../../store/lifecycle.ts';
import { requireRole } from '../admin/mount.ts';
import { refuseArchivedWorkspace } from '../door/delegation.ts';
import { errorResponse } from '../door/error-response.ts';
import { noteCall } from '../door/note-call.ts';
import { readJsonBody } from '../door/request-body.ts';
import { wireOf } from '../tavily/index.ts';
import type { GatewayContext } from '../door/context.ts';
import type { ConsoleAuth } from './auth.ts';
import { mcpTextOf } from './mcp-text.ts';

const body = z.strictObject({
  input: z.record(z.string(), z.unknown()),
  workspace: z.string().optional(),
  agent: z.string().optional(),
  /** Neither answered from the cache nor kept in it. */
  fresh: z.boolean().default(false),
});

/** The playground: runs one operation as a workspace or as the admin, and streams JSON lines. */
export function mountRun(app: Hono, gateway: GatewayContext, auth: ConsoleAuth): void {
  for (const operation of gateway.operations) {
    app.post(`/console/run/${operation.contract.name}`, async (context) => {
      try {
        const { admin } = await auth.require(context);
        if (workspacesWith(admin, 'member').length === 0) requireRole(admin.role, 'member');
        const asked = parseInput(body, await readJsonBody(context.req));
        const caller = await callerOf(asked, gateway);
        requireRole(roleIn(admin, caller.workspace), 'member');
        return new Response(
          lines(
            context,
            operation,
            { input: asked.input, caller: { ...caller, person: admin.name } },
            asked.fresh ? { ...gateway, services: { ...gateway.services, cache: undefined } } : gateway,
          ),
          {
            headers: {
              'content-type': 'application/x-ndjson',
              'cache-control': 'no-store',
              'x-accel-buffering': 'no',
            },
          },
        );
      } catch (thrown) {
        return errorResponse(thrown);
      }
    });
  }
}

async function callerOf(
  { workspace, agent }: z.output<typeof body>,
  { store }: GatewayContext,
): Promise<Caller> {
  if (agent !== undefined) {
    const { workspace: owner, settings, archived } = await store.agents.get(agent);
    if (archived !== null) throw archivedRefusal('agent');
    await refuseArchivedWorkspace(owner, store);
    return { workspace: owner, agent, grant: { tools: webToolsOf(settings) } };
  }
  if (workspace === undefined) return {};
  await refuseArchivedWorkspace(workspace, store);
  return { workspace };
}

/** `{"progress"}` lines, then one `{"done"}` or `{"failed"}`. Disconnecting cancels the call. */
function lines(
  context: Context,
  operation: Operation,
  { input, caller }: { input: Record<string, unknown>; caller: Caller },
  gateway: GatewayContext,
): ReadableStream {
  const { services, openRequests } = gateway;
  const { name } = operation.contract;
  const request = openRequests.begin(context);
  const gone = new AbortController();
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: async (stream) => {
      const tell = (line: object): void => {
        if (!gone.signal.aborted) stream.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      const noted = noteCall(gateway, name);
      const timeoutMs = wireOf(operation).timeoutMs?.(input, services.config.search.timeout_ms);
      const call = createCall(services, {
        signal: AbortSignal.any([request.signal, gone.signal]),
        caller,
        surface: 'console',
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        progress: (progress) => tell({ progress }),
      });
      noted.begin(call);
      try {
        tell({ started: call.requestId });
        const output = await perform(operation, input, { call, services });
        noted.done(output as CallFacts);
        tell({ done: { output, mcp: await mcpTextOf(name, { input, output }, { call, services }) } });
      } catch (thrown) {
        const error = HeadgateError.from(thrown);
        noted.failed(error);
        const { code, data } = error;
        tell({ failed: { code, error: redact(error.explanation), attempts: data['attempts'] ?? [] } });
      } finally {
        request.end();
        if (!gone.signal.aborted) stream.close();
      }
    },
    cancel: () => gone.abort(),
  });
}
