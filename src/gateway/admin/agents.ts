import { z } from 'zod';
import { defined, idOf } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofBody, ofQuery, ofRecord } from './scope-to-workspace.ts';

const name = z.string().trim().min(1);
const ownAgent = ofRecord((id, { store }) => store.agents.get(id), 'agent');
const ofWorkspace = z.object({ workspace: name.optional() });
const settings = z.strictObject({
  searchWebProvider: name.nullable().optional(),
  fetchWebProvider: name.nullable().optional(),
  enableTavilySearch: z.boolean().nullable().optional(),
  enableTavilyFetch: z.boolean().nullable().optional(),
});

/** Agents and their tool settings. */
export const agentRoutes = [
  defineRoute({
    method: 'GET',
    path: '/agents',
    summary: 'List the agents of one workspace or of all.',
    query: ofWorkspace,
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store }) => ({
      agents: await store.agents.list(within),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/agents',
    summary: 'Create an agent.',
    body: z.strictObject({ workspace: name, name, id: name.optional(), settings: settings.optional() }),
    scopeToWorkspace: ofBody,
    run: async ({ body }, { store }) => {
      await store.accounts.workspace(body.workspace);
      return store.agents.create(defined(body) as { workspace: string; name: string });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/agents/:id',
    summary: 'One agent.',
    scopeToWorkspace: ownAgent,
    run: ({ params }, { store }) => store.agents.get(idOf(params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/agents/:id',
    summary: 'Update an agent. Fields that are left out do not change.',
    body: z.strictObject({ name: name.optional(), settings: settings.optional() }),
    scopeToWorkspace: ownAgent,
    run: ({ params, body }, { store }) => store.agents.update(idOf(params), defined(body)),
  }),
];
