import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { KEY_SCOPES } from '../../core/grant.ts';
import { LIMITS } from '../../core/limits.ts';
import { HOUR_MS } from '../../core/window.ts';
import { defined, idOf } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofBody, ofQuery, ofRecord } from './scope-to-workspace.ts';

const name = z.string().trim().min(1);
const ownKey = ofRecord((id, { store }) => store.keys.get(id), 'key');

/** API keys. The key itself is shown once, in the answer to its creation. */
export const keyRoutes = [
  defineRoute({
    method: 'GET',
    path: '/keys',
    summary: 'List the API keys of one workspace or of all, without their secrets.',
    query: z.object({ workspace: name.optional() }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store }) => ({ keys: await store.keys.list(within) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/keys',
    summary: 'Create a key. `expires` is in milliseconds since 1970.',
    body: z.strictObject({
      workspace: name,
      label: name,
      scopes: z.array(z.enum(KEY_SCOPES)).min(1).optional(),
      agent: name.optional(),
      expires: z.int().positive().optional(),
      networks: z.array(z.string().min(1).max(60)).max(LIMITS.networksPerKeyMax).optional(),
    }),
    scopeToWorkspace: ofBody,
    run: async ({ body }, { store }) => {
      await store.accounts.workspace(body.workspace);
      if (body.agent !== undefined && (await store.agents.get(body.agent)).workspace !== body.workspace) {
        throw new HeadgateError('invalid_request', 'agent: belongs to another workspace.');
      }
      return store.keys.create(defined(body) as { workspace: string; label: string });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/keys/:id',
    summary: 'Get an API key, without its secret.',
    scopeToWorkspace: ownKey,
    run: ({ params }, { store }) => store.keys.get(idOf(params)),
  }),
  defineRoute({
    method: 'POST',
    path: '/keys/:id/rotate',
    summary:
      'Replace a key by a new one like it. The old one works for `grace_hours` more, a day by default.',
    body: z.strictObject({ grace_hours: z.int().min(0).max(LIMITS.rotateGraceHoursMax).default(24) }),
    scopeToWorkspace: ownKey,
    run: ({ params, body }, { store }) => store.keys.rotate(idOf(params), body.grace_hours * HOUR_MS),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/keys/:id',
    summary: 'Revoke an API key with immediate effect.',
    scopeToWorkspace: ownKey,
    run: ({ params }, { store }) => store.keys.revoke(idOf(params)),
  }),
];
