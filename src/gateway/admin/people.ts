import { z } from 'zod';
import { ROLES } from '../../core/roles.ts';
import { LIMITS } from '../../core/limits.ts';
import { defineRoute } from './route.ts';

const name = z.string().trim().min(1).max(LIMITS.meterNameCharsMax);
const role = z.enum(ROLES);
const nameIn = (params: Record<string, string>): string => params['name'] ?? '';

/** People who may sign in to the console. Only owners change them. */
export const peopleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/people',
    summary: 'List the people who may sign in to the console.',
    run: async (_input, { store }) => ({ people: await store.people.list() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/people',
    role: 'owner',
    summary:
      'Invite somebody. The answer has a one-time token for `/#/setup/<token>`, with which they choose a password.',
    body: z.strictObject({ name, role }),
    run: async ({ body }, { store }) => ({ token: await store.sessions.createSetupToken(body) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/people/:name',
    role: 'owner',
    summary: 'Change the role of somebody.',
    body: z.strictObject({ role }),
    run: ({ params, body }, { store }) => store.people.setRole(nameIn(params), body.role),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/people/:name/sessions',
    role: 'owner',
    summary: 'End the sessions of somebody.',
    run: ({ params }, { store }) => store.people.endSessions(nameIn(params)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/people/:name',
    role: 'owner',
    summary: 'Remove somebody. Their sessions end, and the clients that they signed in to.',
    run: ({ params }, { store }) => store.people.remove(nameIn(params)),
  }),
];
