import { z } from 'zod';
import { ROLES } from '../../core/roles.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Person } from '../../store/people.ts';
import { defineRoute } from './route.ts';
import { ofBody, ofQuery } from './scope-to-workspace.ts';

const name = z.string().trim().min(1).max(LIMITS.meterNameCharsMax);
const role = z.enum(ROLES);
const workspace = name.optional().describe('The role is in this workspace only; by default in the gateway.');
const nameIn = (params: Record<string, string>): string => params['name'] ?? '';

/** People who may sign in to the console. Only owners change them. */
export const peopleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/people',
    summary: 'List the people who may sign in to the console, with their roles.',
    scopeToWorkspace: ofQuery,
    run: async ({ within }, { store }) => {
      const people = await store.people.list();
      return { people: within === undefined ? people : people.flatMap((one) => seenIn(one, within)) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/people',
    role: 'owner',
    summary:
      'Invite somebody. The answer has a one-time token for `/#/setup/<token>`, with which they choose a password.',
    body: z.strictObject({ name, role, workspace }),
    scopeToWorkspace: ofBody,
    run: async ({ body }, { store }) => ({ token: await store.sessions.createSetupToken(body) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/people/:name',
    role: 'owner',
    summary: 'Change the role of somebody. `none` takes it away; roles in workspaces stay.',
    body: z.strictObject({ role: z.enum([...ROLES, 'none']), workspace }),
    scopeToWorkspace: ofBody,
    run: async ({ params, body }, { store }) => {
      const wanted = body.role === 'none' ? null : body.role;
      const person = await store.people.setRole(nameIn(params), wanted, body.workspace);
      // Who manages a workspace does not learn what else somebody may do.
      return { name: person.name };
    },
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
    path: '/people/:name/factor',
    role: 'owner',
    summary: 'Switch off the second factor of somebody who has lost it.',
    run: ({ params }, { store }) => store.factors.reset(nameIn(params)),
  }),
];

/** Somebody as those see them who administer these workspaces only. */
function seenIn(person: Person, within: readonly string[]): Person[] {
  const workspaces = person.workspaces.filter((one) => within.includes(one.workspace));
  return workspaces.length === 0 ? [] : [{ ...person, role: null, workspaces }];
}
