import { z } from 'zod';
import { flag } from '../../contract/fields.ts';
import { isMillionths } from '../../core/money.ts';
import { defineRoute } from './route.ts';
import { ofQuery, ofRecord } from './scope-to-workspace.ts';

const name = z.string().trim().min(1);

/** Subscriptions, which have a tier and a balance, and the workspaces that belong to them. */
export const accountRoutes = [
  defineRoute({
    method: 'GET',
    path: '/subscriptions',
    summary: 'List subscriptions with tier and balance.',
    scopeToWorkspace: ofQuery,
    run: async ({ within }, { store: { accounts } }) => {
      const ids = within && (await accounts.workspaces(within)).map((one) => one.subscription);
      return { subscriptions: await accounts.subscriptions(ids) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/subscriptions',
    summary: 'Create a subscription.',
    body: z.strictObject({ name, tier: name.default('free'), id: name.optional() }),
    run: ({ body: { id, ...rest } }, { store }) =>
      store.accounts.createSubscription({ ...rest, ...(id === undefined ? {} : { id }) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/subscriptions/:id',
    summary: 'One subscription.',
    run: ({ params }, { store }) => store.accounts.subscription(idOf(params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/subscriptions/:id',
    summary: 'Change the tier of a subscription.',
    body: z.strictObject({ tier: name }),
    run: ({ params, body }, { store }) => store.accounts.setTier(idOf(params), body.tier),
  }),
  defineRoute({
    method: 'POST',
    path: '/subscriptions/:id/top-up',
    summary: 'Add credits in millionths of a dollar, or take them back. Each reference is booked only once.',
    body: z.strictObject({
      amount: z.number().refine(isMillionths, { error: 'must be a whole number of millionths of a dollar.' }),
      note: name.optional(),
      reference: name.optional(),
    }),
    run: ({ params, body: { amount, note, reference } }, { store }) =>
      store.accounts.topUp({
        subscription: idOf(params),
        amount,
        ...(note === undefined ? {} : { note }),
        ...(reference === undefined ? {} : { reference }),
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/workspaces',
    summary: 'Every workspace.',
    scopeToWorkspace: ofQuery,
    run: async ({ within }, { store }) => ({ workspaces: await store.accounts.workspaces(within) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace of an existing subscription, or of a new one with this tier.',
    body: z.strictObject({
      name,
      id: name.optional(),
      subscription: name.optional(),
      tier: name.optional(),
    }),
    run: ({ body }, { store }) => store.accounts.createWorkspace(defined(body) as { name: string }),
  }),
  defineRoute({
    method: 'GET',
    path: '/workspaces/:id',
    summary: 'Get a workspace and its subscription.',
    scopeToWorkspace: ofRecord(async (id) => ({ workspace: id }), 'workspace'),
    run: async ({ params }, { store }) => {
      const workspace = await store.accounts.workspace(idOf(params));
      return { ...workspace, account: await store.accounts.subscription(workspace.subscription) };
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/workspaces/:id',
    summary:
      'Change which texts of its calls a workspace keeps in the call log (queries and addresses, and answers as they were given), and which snapshots of `[web] folder`, as of which date, answer its calls instead of the web; null is the web of now.',
    body: z.strictObject({
      keep_queries: flag().optional(),
      keep_answers: flag().optional(),
      web: name.nullable().optional(),
      as_of: name.nullable().optional(),
    }),
    scopeToWorkspace: ofRecord(async (id) => ({ workspace: id }), 'workspace'),
    run: async ({ params, body }, { store: { accounts } }) => {
      const { keep_queries: queries, keep_answers: answers, web, as_of: asOf } = body;
      const id = idOf(params);
      if (web !== undefined || asOf !== undefined) await accounts.setWeb(id, defined({ web, asOf }));
      return queries === undefined && answers === undefined
        ? accounts.workspace(id)
        : accounts.setKeeps(id, defined({ queries, answers }));
    },
  }),
];

export const idOf = (params: Record<string, string>): string => params['id'] ?? '';

/** Removes undefined fields. */
export const defined = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
