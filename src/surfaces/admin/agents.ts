import { z } from 'zod';
import { defined, idOf } from './accounts.ts';
import { defineRoute, type AdminRoute } from './route.ts';
import { ofBody, ofQuery, ofRecord } from './within.ts';

const name = z.string().trim().min(1);
const ownAgent = ofRecord((id, { store }) => store.agents.get(id), 'agent');
const ofWorkspace = z.object({ workspace: name.optional() });
const settings = z.strictObject({
  searchWebProvider: name.nullable().optional(),
  fetchWebProvider: name.nullable().optional(),
  enableTavilySearch: z.boolean().nullable().optional(),
  enableTavilyFetch: z.boolean().nullable().optional(),
});

/** Agents and the tools they are set up with. */
export const agentRoutes: AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/agents',
    summary: 'Agents, of one workspace or of all.',
    query: ofWorkspace,
    within: ofQuery,
    run: async ({ query }, { store }) => ({ agents: await store.agents.list(query.workspace) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/agents',
    summary: 'Create an agent.',
    body: z.strictObject({ workspace: name, name, id: name.optional(), settings: settings.optional() }),
    within: ofBody,
    run: async ({ body }, { store }) => {
      await store.accounts.workspace(body.workspace);
      return store.agents.create(defined(body) as { workspace: string; name: string });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/agents/:id',
    summary: 'One agent.',
    within: ownAgent,
    run: ({ params }, { store }) => store.agents.get(idOf(params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/agents/:id',
    summary: 'Change an agent; what is not given stays as it is.',
    body: z.strictObject({ name: name.optional(), settings: settings.optional() }),
    within: ownAgent,
    run: ({ params, body }, { store }) => store.agents.update(idOf(params), defined(body)),
  }),
];
