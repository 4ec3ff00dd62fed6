import { z } from 'zod';
import { tellingSecretsOf } from '../../config/secrets.ts';
import { shownPolicy } from '../../core/gate.ts';
import type { StoredPolicy } from '../../store/policies.ts';
import { tryPolicy } from '../../policy/try-policy.ts';
import { idOf } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofQuery } from './scope-to-workspace.ts';

const shown = (policy: StoredPolicy): StoredPolicy => ({ ...policy, rules: shownPolicy(policy.rules) });

const name = z.string().trim().min(1);

/** Policies. Those of a workspace see what binds them; only the operator changes it. */
export const policyRoutes = [
  defineRoute({
    method: 'GET',
    path: '/policies',
    summary: 'The rules of the operator, and those of one workspace and its agents, or of all.',
    query: z.object({ workspace: name.optional() }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store, services }) => ({
      operator: shownPolicy(services.config.policy),
      policies: (await store.policies.list(within)).map(shown),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/policies',
    summary: 'Replace the rules of a workspace, or of an agent of it. They can only narrow those above them.',
    body: z.strictObject({ workspace: name, agent: name.optional(), rules: z.unknown() }),
    run: async ({ body: { rules, ...subject } }, { store }) =>
      shown(await store.policies.set(subject, rules)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/policies/:id',
    summary: 'Remove the rules of a workspace or an agent, by its ID.',
    run: async ({ params }, { store }) => shown(await store.policies.remove(idOf(params))),
  }),
  defineRoute({
    method: 'GET',
    path: '/approvals',
    summary: 'The addresses that wait for the approval of a person, of one workspace or of all.',
    query: z.object({ workspace: name.optional() }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store }) => ({
      approvals: await store.approvals.list(within),
    }),
  }),
  // Not for keys, not even those that administer a workspace: an agent must not approve what it asked for.
  defineRoute({
    method: 'POST',
    path: '/approvals/:id',
    summary:
      'Approve or deny an address, by its code. An approved one may be read once, by the caller that asked.',
    body: z.strictObject({ approve: z.boolean() }),
    run: ({ params, body }, { store }) => store.approvals.decide(idOf(params), body.approve),
  }),
  defineRoute({
    method: 'GET',
    path: '/policies/test',
    summary:
      'Whether an address may be read, or who may get a query, for a workspace and an agent. Nobody is asked.',
    query: z.object({
      text: z.string().trim().min(1).max(2_048),
      workspace: name.optional(),
      agent: name.optional(),
    }),
    scopeToWorkspace: ofQuery,
    run: async ({ query: { text, workspace, agent } }, { services }) => {
      const caller = {
        ...(workspace === undefined ? {} : { workspace }),
        ...(agent === undefined ? {} : { agent }),
      };
      const foreign = services.providers.filter(({ provider }) => provider.builtIn === undefined);
      return tryPolicy(
        await services.rulesFor(caller),
        text,
        foreign.map(({ provider }) => provider.id),
        tellingSecretsOf(services.config),
      );
    },
  }),
];
