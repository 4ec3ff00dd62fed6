import { z } from 'zod';
import { flag, integer, word } from '../../contract/fields.ts';
import { LIMITS } from '../../core/limits.ts';
import { WINDOW_WORDS, windowStart } from '../../core/window.ts';
import { LEDGER_KINDS } from '../../store/ledger/types.ts';
import { LEDGER_SORTS } from '../../store/ledger-pages.ts';
import { USAGE_GROUPS } from '../../store/reports.ts';
import {
  EXPORT_FORMATS,
  USAGE_CSV_HEAD,
  usageCsvLine,
  usageEvent,
  usagePage,
} from '../../store/usage-export.ts';
import { defined } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofQuery } from './scope-to-workspace.ts';

/** Parses `agent,hour` to a list. */
const groups = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').filter((part) => part !== '') : value),
  z.array(word(USAGE_GROUPS)).max(USAGE_GROUPS.length),
);
const name = z.string().trim().min(1).optional();
const moment = integer(0, Number.MAX_SAFE_INTEGER).optional();
const limit = integer(1, LIMITS.storeRowsMax).optional();
const filters = {
  subscription: name,
  workspace: name,
  agent: name,
  key: name,
  person: name,
  provider: name,
  operation: name,
  from: moment,
  to: moment,
};

export const ledgerFilters = {
  subscription: name,
  kind: word(LEDGER_KINDS).optional(),
  text: name.describe('Words in the note, the reference, the provider, or a name.'),
  from: moment,
  to: moment,
};

/** Usage, ledger entries, holds and requests in doubt. */
export const reportRoutes = [
  defineRoute({
    method: 'GET',
    path: '/usage',
    summary:
      'Get calls, credits, charges and tokens of language models, grouped as requested. Times are in milliseconds since 1970.',
    query: z.object({
      by: groups.default([]),
      ...filters,
      window: flag().optional().describe(`Only the current window: a ${WINDOW_WORDS}.`),
    }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store, services }) => {
      const { by, window, ...filter } = query;
      const from = window === true ? windowStart(services.clock.now()) : filter.from;
      return { usage: await store.reports.usage(defined({ ...filter, workspace: within, from }), by) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/usage/export',
    summary:
      'Export the usage by day (UTC), caller, provider and operation, as CSV or as a batch of CloudEvents. A page ends with the header `X-Headgate-Next`, unless it is the last one: pass it as `after`. CloudEvents are of days that are over.',
    query: z.object({
      format: word(EXPORT_FORMATS).default('csv'),
      ...filters,
      after: name,
      limit: integer(1, LIMITS.storeRowsMax).optional(),
    }),
    scopeToWorkspace: ofQuery,
    run: async ({ query, within = query.workspace }, { store, services }) => {
      const { format, after, limit: rowsMax = LIMITS.storeRowsMax, ...filter } = query;
      const isFinal = format === 'cloudevents';
      const { rows, next } = await usagePage(store.database, {
        filter: defined({ ...filter, workspace: within }),
        isFinal,
        now: services.clock.now(),
        after,
        limit: rowsMax,
      });
      const body = isFinal
        ? JSON.stringify(rows.map(usageEvent))
        : [...(after === undefined ? [USAGE_CSV_HEAD] : []), ...rows.map(usageCsvLine)].join('');
      return new Response(body, {
        headers: {
          'content-type': isFinal ? 'application/cloudevents-batch+json' : 'text/csv; charset=utf-8',
          'cache-control': 'no-store',
          ...(next === undefined ? {} : { 'x-headgate-next': next }),
        },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/ledger',
    summary:
      'List ledger entries, newest first unless `sort` says otherwise. Pass `next` as `before` to get the next page. `searchedTo` says how far a search for words has looked when it stopped early.',
    query: z.object({
      ...ledgerFilters,
      sort: word(LEDGER_SORTS).optional(),
      before: integer(1, Number.MAX_SAFE_INTEGER).optional(),
      limit,
    }),
    run: ({ query }, { store }) => store.reports.ledger(defined(query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/holds',
    summary: 'List the credits held by running calls.',
    query: z.object({ subscription: name, limit }),
    run: async ({ query }, { store }) => ({ holds: await store.reports.openHolds(defined(query)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/in-doubt',
    summary:
      'List requests that were sent and whose outcome is unknown, oldest first. No workspace was charged, but the provider may have billed the operator. With `all`, resolved ones are included.',
    query: z.object({ subscription: name, all: flag().optional(), limit }),
    run: async ({ query }, { store }) => ({ requests: await store.doubts.list(defined(query)) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/in-doubt/:id',
    summary: 'Resolve a request in doubt by recording whether the provider billed it. It moves no money.',
    body: z.object({
      billed: flag().describe('Whether the provider billed it.'),
      credits: integer(0, LIMITS.creditsPerCallMax).optional().describe('What it billed.'),
    }),
    run: async ({ params, body: { billed, credits } }, { store }) =>
      store.doubts.resolve(params.id ?? '', {
        verdict: billed ? 'billed' : 'not_billed',
        ...defined({ credits }),
      }),
  }),
];
