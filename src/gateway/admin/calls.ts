import { z } from 'zod';
import { flag, integer } from '../../contract/fields.ts';
import { LIMITS } from '../../core/limits.ts';
import { CALL_COLUMNS_FILTERED, CALL_NUMBERS_FILTERED, type CallFilter } from '../../store/calls.ts';
import { defined } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofQuery } from './scope-to-workspace.ts';

const name = z.string().trim().min(1).max(LIMITS.meterNameCharsMax).optional();
const moment = integer(0, Number.MAX_SAFE_INTEGER).optional();
const shapeOf = <Name extends string, Type extends z.ZodType>(names: readonly Name[], type: Type) =>
  Object.fromEntries(names.map((one) => [one, type])) as Record<Name, Type>;

/** The call log. */
export const callRoutes = [
  defineRoute({
    method: 'GET',
    path: '/calls',
    summary:
      'List logged calls, newest first. Pass `next` as `before` to get the next page. `searchedTo` says how far back a search has looked when it stopped early. `credits`, `tokens`, `tries` and `ms` are lower bounds; `after` lists what was written after a row instead, oldest first.',
    query: z.object({
      ...shapeOf(CALL_COLUMNS_FILTERED, name),
      ...shapeOf(CALL_NUMBERS_FILTERED, integer(0, Number.MAX_SAFE_INTEGER).optional()),
      cached: flag().optional(),
      text: name.describe('Words in the kept query or address.'),
      from: moment,
      to: moment,
      before: name,
      after: moment,
      limit: integer(1, LIMITS.callsPageMax).default(50),
    }),
    scopeToWorkspace: ofQuery,
    run: async ({ query: { before, after, limit, ...filter }, within }, { store, services }) => {
      // What this gateway has not written yet is shown, too.
      await services.meter?.calls?.flush();
      const workspace = within?.length === 1 ? within[0] : filter.workspace;
      const wanted = defined({ ...filter, workspace, within }) as CallFilter;
      if (after !== undefined) return { calls: await store.calls.after(after, wanted, limit) };
      return store.calls.page(wanted, { ...(before === undefined ? {} : { before }), limit });
    },
  }),
];
