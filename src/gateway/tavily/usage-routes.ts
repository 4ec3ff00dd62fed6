import type { Hono } from 'hono';
import { z } from 'zod';
import { creditPrice } from '../../config/credit-price.ts';
import { parseInput } from '../../contract/parse.ts';
import { newRequestId } from '../../core/ids.ts';
import type { UsageFilter } from '../../store/reports.ts';
import type { Store } from '../../store/store.ts';
import { keyOf, keyOfBody } from '../door/credentials.ts';
import { errorResponse } from '../door/error-response.ts';
import { readJsonBody } from '../door/request-body.ts';
import type { GatewayContext } from '../door/context.ts';

const feedback = z
  .object({
    session_id: z.string().max(200).optional(),
    request_id: z.string().max(200).optional(),
    agent_score: z.number().min(0).max(1).optional(),
    human_score: z.number().min(0).max(1).optional(),
    comment: z.string().max(10_000).optional(),
  })
  .refine((body) => body.session_id !== undefined || body.request_id !== undefined, {
    error: 'Send session_id or request_id.',
  });

/** `GET /usage` and `POST /feedback`. */
export function mountUsage(app: Hono, gateway: GatewayContext): void {
  const { store, services, identify, addressOf, metrics } = gateway;
  app.get('/usage', async (context) => {
    try {
      const { holder } = await identify(keyOf(context.req), addressOf(context));
      const monthStart = startOfMonth(services.clock.now());
      if (holder === undefined) return context.json(await localUsage(store, monthStart));
      const key = await usageOf(store, { key: holder.id, from: monthStart });
      const account = await usageOf(store, { subscription: holder.subscription, from: monthStart });
      const subscription = await store.accounts.subscription(holder.subscription);
      // Tavily's clients expect credits where Headgate has money.
      const price = creditPrice('tavily', services.config);
      const credits = (amount: number): number => (price === 0 ? 0 : Math.floor(Math.max(0, amount) / price));
      const [paid, left] = [credits(account.charged), credits(subscription.available)];
      return context.json({
        key: { usage: key.total, limit: null, ...key.byOperation },
        account: {
          current_plan: holder.tier,
          plan_usage: account.total,
          plan_limit: null,
          paygo_usage: paid,
          paygo_limit: paid + left,
          ...account.byOperation,
        },
      });
    } catch (thrown) {
      return errorResponse(thrown);
    }
  });

  app.post('/feedback', async (context) => {
    const started = performance.now();
    try {
      const headerKey = keyOf(context.req);
      if (headerKey !== undefined) await identify(headerKey, addressOf(context));
      const body = await readJsonBody(context.req);
      if (headerKey === undefined) await identify(keyOfBody(body), addressOf(context));
      const given = parseInput(feedback, body);
      const id = newRequestId();
      // Only counted and logged; the text of a user is not stored.
      metrics.count('headgate_feedback_total', 'Feedback received.');
      const { session_id: session, request_id: request, agent_score: agent, human_score: human } = given;
      services.log.info('feedback', { id, session, request, agent, human });
      const elapsed = Math.round(performance.now() - started) / 1_000;
      return context.json({ success: true, feedback_id: id, response_time: elapsed });
    } catch (thrown) {
      return errorResponse(thrown);
    }
  });
}

/** The credits of this month. Research and built-in crawls are booked as searches and fetches. */
async function usageOf(store: Store, filter: UsageFilter) {
  const rows = await store.reports.usage(filter, ['operation']);
  const of = (operation: string): number =>
    rows.filter((row) => row.group.operation === operation).reduce((sum, row) => sum + row.credits, 0);
  return {
    total: rows.reduce((sum, row) => sum + row.credits, 0),
    charged: rows.reduce((sum, row) => sum + row.charged, 0),
    byOperation: {
      search_usage: of('search'),
      extract_usage: of('fetch'),
      crawl_usage: of('crawl'),
      map_usage: of('map'),
      research_usage: 0,
    },
  };
}

async function localUsage(store: Store, from: number) {
  const { total, byOperation } = await usageOf(store, { subscription: 'local', from });
  const account = {
    current_plan: null,
    plan_usage: total,
    plan_limit: null,
    paygo_usage: 0,
    paygo_limit: null,
  };
  return { key: { usage: total, limit: null, ...byOperation }, account: { ...account, ...byOperation } };
}

function startOfMonth(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
}
