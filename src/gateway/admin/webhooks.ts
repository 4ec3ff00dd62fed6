import { z } from 'zod';
import { listEvents } from '../../store/events.ts';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../../store/webhooks.ts';
import { defined, idOf } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofQuery } from './scope-to-workspace.ts';

const name = z.string().trim().min(1);

/** Events and webhooks. Webhooks are the operator's: they send what happens here to another place. */
export const webhookRoutes = [
  defineRoute({
    method: 'GET',
    path: '/events',
    summary: 'The latest events: thresholds of budgets, keys, balances.',
    query: z.object({ workspace: name.optional() }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store }) => ({
      events: await listEvents(store.database, within),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks, without their secrets.',
    role: 'admin',
    run: async (_input, { store }) => ({ webhooks: await store.webhooks.list() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks',
    summary:
      'Add a webhook for the events of one workspace or of all. Its secret is in this answer only. `kinds` limits it to some kinds of events.',
    body: z.strictObject({
      url: name,
      workspace: name.optional(),
      format: z.enum(WEBHOOK_FORMATS).optional(),
      kinds: z.array(name).max(50).optional(),
    }),
    run: ({ body }, { store }) =>
      store.webhooks.add(
        defined(body) as { url: string; workspace?: string; format?: WebhookFormat; kinds?: string[] },
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    summary: 'The latest deliveries of a webhook.',
    role: 'admin',
    run: async ({ params }, { store }) => ({ deliveries: await store.webhooks.deliveries(idOf(params)) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/rotate',
    summary: 'Replace the secret of a webhook. For a day, messages are signed with both.',
    run: ({ params }, { store }) => store.webhooks.rotate(idOf(params)),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/test',
    summary: 'Send a test event to a webhook.',
    run: async ({ params }, { store }) => ({ deliveries: await store.webhooks.test(idOf(params)) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/replay',
    summary: 'Deliver an event again, or everything that failed, and switch the webhook on.',
    body: z.strictObject({ event: name.optional() }),
    run: async ({ params, body }, { store }) => ({
      deliveries: await store.webhooks.replay(idOf(params), body.event),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/webhooks/:id',
    summary: 'Remove a webhook.',
    run: ({ params }, { store }) => store.webhooks.remove(idOf(params)),
  }),
];
