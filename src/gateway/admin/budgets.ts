import { z } from 'zod';
import { BUDGET_LEVELS, BUDGET_UNITS } from '../../store/ledger/budget.ts';
import type { BudgetInput } from '../../store/budgets.ts';
import { defined, idOf } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofQuery } from './scope-to-workspace.ts';

const name = z.string().trim().min(1);

/** Budgets. A key of the workspace sees them; only the operator changes them, because they limit that key. */
export const budgetRoutes = [
  defineRoute({
    method: 'GET',
    path: '/budgets',
    summary: 'List the budgets of one workspace or of all, with what is used and left.',
    query: z.object({ workspace: name.optional() }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store }) => ({
      budgets: await store.budgets.list(within),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/budgets',
    summary:
      'Set the budget of a workspace, agent, key or person: `amount` in credits or millionths of a dollar, per `day`, `month`, or a rolling time such as `12h` or `7d`.',
    body: z.strictObject({
      workspace: name,
      level: z.enum(BUDGET_LEVELS).default('workspace'),
      subject: name.optional(),
      unit: z.enum(BUDGET_UNITS).default('credits'),
      amount: z.int().min(0),
      period: name,
      zone: name.optional(),
      hard: z.boolean().optional(),
    }),
    run: ({ body }, { store }) => store.budgets.set(defined(body) as BudgetInput),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/budgets/:id',
    summary: 'Remove a budget.',
    run: ({ params }, { store }) => store.budgets.remove(idOf(params)),
  }),
];
