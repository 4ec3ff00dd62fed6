import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { integer } from '../contract/fields.ts';
import { parseInput } from '../contract/parse.ts';
import type { Call } from '../core/call.ts';
import { LIMITS } from '../core/limits.ts';
import { authorise } from '../operations/authorise.ts';
import { cancelJob, crawlJob, jobOf, listJobs, resultLines } from '../operations/crawl/crawl-job.ts';
import { createCall, perform } from '../operations/perform.ts';
import type { GatewayContext } from './door/context.ts';
import { keyOf } from './door/credentials.ts';
import { errorResponse } from './door/error-response.ts';
import { lineStream } from './door/line-stream.ts';
import { openCall } from './door/open-call.ts';

/** Crawls in the background: `POST /crawls`, and what became of them, at any gateway of the store. */
export function mountCrawls(app: Hono, gateway: GatewayContext): void {
  const { services } = gateway;
  app.post('/crawls', async (context) => {
    const request = gateway.openRequests.begin(context);
    try {
      const { body, call } = await openCall(context, { timeoutMs: LIMITS.callTimeoutMs }, gateway, request);
      return context.json(await perform(crawlJob, body, { call, services }).finally(call.end));
    } catch (thrown) {
      return errorResponse(thrown);
    } finally {
      request.end();
    }
  });
  const look = (run: (call: Call, context: Context) => Promise<Response>) => async (context: Context) => {
    try {
      const { caller } = await gateway.identify(keyOf(context.req), gateway.addressOf(context));
      const call = createCall(services, { caller });
      return await run(authorise(crawlJob, call), context).finally(call.end);
    } catch (thrown) {
      return errorResponse(thrown);
    }
  };
  const idOf = (context: Context): string => context.req.param('id') ?? '';
  app.get(
    '/crawls',
    look(async (call, context) => context.json({ crawls: await listJobs(call, services) })),
  );
  app.get(
    '/crawls/:id',
    look(async (call, context) => context.json(await jobOf(idOf(context), call, services))),
  );
  app.delete(
    '/crawls/:id',
    look(async (call, context) => context.json(await cancelJob(idOf(context), call, services))),
  );
  app.get(
    '/crawls/:id/results',
    look(async (call, context) => {
      const { after } = parseInput(resultQuery, context.req.query());
      const { crawl_id: id, state } = await jobOf(idOf(context), call, services);
      return new Response(lineStream(resultLines(id, after, services)), {
        headers: {
          'content-type': 'application/x-ndjson',
          'cache-control': 'no-store',
          'x-headgate-crawl-state': state,
        },
      });
    }),
  );
}

const resultQuery = z.object({ after: integer(0, Number.MAX_SAFE_INTEGER).default(0) });
