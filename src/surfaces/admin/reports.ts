import { z } from 'zod';
import { flag, integer, word } from '../../contract/fields.ts';
import { LIMITS } from '../../core/limits.ts';
import { WINDOW_WORDS, windowStart } from '../../core/window.ts';
import { USAGE_GROUPS } from '../../store/reports.ts';
import { defined } from './accounts.ts';
import { defineRoute, type AdminRoute } from './route.ts';
import { ofQuery } from './within.ts';

/** `agent,hour` as a list. */
const groups = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').filter((part) => part !== '') : value),
  z.array(word(USAGE_GROUPS)).max(USAGE_GROUPS.length),
);
const name = z.string().trim().min(1).optional();
const moment = integer(0, Number.MAX_SAFE_INTEGER).optional();
const limit = integer(1, LIMITS.storeRowsMax).optional();

/** Who used what, what was booked, what is being held. */
export const reportRoutes: AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/usage',
    summary:
      'Calls, credits and charges, grouped by any of the given names; times in milliseconds since 1970.',
    query: z.object({
      by: groups.default([]),
      subscription: name,
      workspace: name,
      agent: name,
      key: name,
      provider: name,
      from: moment,
      to: moment,
      window: flag().optional().describe(`Only what counts now: a ${WINDOW_WORDS}.`),
    }),
    within: ofQuery,
    run: async ({ query: { by, window, ...filter } }, { store, services }) => {
      const from = window === true ? windowStart(services.clock.now()) : filter.from;
      return { usage: await store.reports.usage(defined({ ...filter, from }), by) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/ledger',
    summary: 'What was booked, newest first; `next` is the `before` of the following page.',
    query: z.object({ subscription: name, before: integer(1, Number.MAX_SAFE_INTEGER).optional(), limit }),
    run: ({ query }, { store }) => store.reports.ledger(defined(query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/holds',
    summary: 'Credits that running calls hold.',
    query: z.object({ subscription: name, limit }),
    run: async ({ query }, { store }) => ({ holds: await store.reports.openHolds(defined(query)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/in-doubt',
    summary:
      'Requests that a provider was sent and of which nobody knows whether it did the work, oldest first. Nobody was charged; the provider may have billed the operator. With `all`, also those that are resolved.',
    query: z.object({ subscription: name, all: flag().optional(), limit }),
    run: async ({ query }, { store }) => ({ requests: await store.doubts.list(defined(query)) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/in-doubt/:id',
    summary: 'Say what became of a request in doubt: whether the provider billed it. It moves no money.',
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
