import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseInput } from '../../contract/parse.ts';
import type { Caller } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { redact } from '../../core/log.ts';
import type { Operation } from '../../operations/operation.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { webToolsOf } from '../../store/agent-settings.ts';
import { errorResponse } from '../http/error-response.ts';
import { noteCall, type CallFacts } from '../http/note-call.ts';
import { readJsonBody } from '../http/request-body.ts';
import { wireOf } from '../http/tavily/index.ts';
import type { HttpWorld } from '../http/world.ts';
import type { ConsoleAuth } from './auth.ts';
import { mcpTextOf } from './mcp-text.ts';

const body = z.strictObject({
  input: z.record(z.string(), z.unknown()),
  workspace: z.string().optional(),
  agent: z.string().optional(),
});

/** The playground: one operation, as a workspace or as the person at the console, told line by line as JSON. */
export function mountRun(app: Hono, world: HttpWorld, auth: ConsoleAuth): void {
  for (const operation of world.operations) {
    app.post(`/console/run/${operation.contract.name}`, async (context) => {
      try {
        await auth.require(context);
        const asked = parseInput(body, await readJsonBody(context.req));
        const caller = await callerOf(asked, world);
        return new Response(lines(context, operation, { input: asked.input, caller }, world), {
          headers: {
            'content-type': 'application/x-ndjson',
            'cache-control': 'no-store',
            'x-accel-buffering': 'no',
          },
        });
      } catch (thrown) {
        return errorResponse(thrown);
      }
    });
  }
}

async function callerOf({ workspace, agent }: z.output<typeof body>, { store }: HttpWorld): Promise<Caller> {
  if (agent !== undefined) {
    const { workspace: owner, settings } = await store.agents.get(agent);
    return { workspace: owner, agent, grant: { tools: webToolsOf(settings) } };
  }
  if (workspace === undefined) return {};
  return { workspace: (await store.accounts.workspace(workspace)).id };
}

/** `{"progress"}` lines while it runs, then one `{"done"}` or `{"failed"}`. Going away cancels the call. */
function lines(
  context: Context,
  operation: Operation,
  { input, caller }: { input: Record<string, unknown>; caller: Caller },
  world: HttpWorld,
): ReadableStream {
  const { services, flights } = world;
  const { name } = operation.contract;
  const flight = flights.begin(context);
  const gone = new AbortController();
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: async (stream) => {
      const tell = (line: object): void => {
        if (!gone.signal.aborted) stream.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      const noted = noteCall(world, name);
      const timeoutMs = wireOf(operation).timeoutMs?.(input, services.config.search.timeout_ms);
      const call = createCall(services, {
        signal: AbortSignal.any([flight.signal, gone.signal]),
        caller,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        progress: (progress) => tell({ progress }),
      });
      noted.begin(call);
      try {
        tell({ started: call.requestId });
        const output = await perform(operation, input, call, services);
        noted.done(output as CallFacts);
        tell({ done: { output, mcp: await mcpTextOf(name, { input, output }, call, services) } });
      } catch (thrown) {
        const error = HeadgateError.from(thrown);
        noted.failed(error);
        const { code, data } = error;
        tell({ failed: { code, error: redact(error.explanation), attempts: data['attempts'] ?? [] } });
      } finally {
        flight.end();
        if (!gone.signal.aborted) stream.close();
      }
    },
    cancel: () => gone.abort(),
  });
}
