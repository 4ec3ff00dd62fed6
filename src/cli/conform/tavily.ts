import { z } from 'zod';
import type { Body } from '../../gateway/door/request-body.ts';
import { field, type Check } from './check.ts';
import type { Kit, Probe, Server } from './probe.ts';
import { post, QUERY, refusalBody } from './tavily-call.ts';
import { extracts, sites } from './tavily-pages.ts';
import { researches } from './tavily-research.ts';
import { searches, searchRefusals } from './tavily-search.ts';

// Tavily's contract as calls and what their answers must be. Types, defaults and limits are those of our own contract, and refusals those
// of our own wire format, which the clients and recordings in tests/ hold to the real service.

/** Tavily's API. */
export const kit: Kit = {
  title: 'Tavily’s API',
  auth: (key) => ({ authorization: `Bearer ${key}` }),
  probes: ({ page }: Server) => [
    ...searches(),
    ...searchRefusals(),
    ...keys(),
    ...extracts(page),
    ...sites(page),
    ...researches(),
    ...usage(),
    {
      id: 'route.unknown',
      method: 'POST',
      path: '/no-such-endpoint',
      body: {},
      status: [404],
      checks: [
        field('route.unknown.detail', 'detail', z.string().or(z.object({ error: z.string() })), {
          expects: 'a text',
        }),
      ],
    },
  ],
};

function keys(): Probe[] {
  const refused = (id: string, auth: 'none' | 'wrong', name: string): Probe => ({
    ...post(id, `/${name}`, BODIES[name] ?? {}),
    auth,
    status: [401],
    checks: [refusalBody(id)],
  });
  return [
    ...Object.keys(BODIES).map((name) => refused(`key.missing.${name}`, 'none', name)),
    {
      id: 'key.missing.usage',
      method: 'GET',
      path: '/usage',
      auth: 'none',
      status: [401],
      checks: [refusalBody('key.missing.usage')],
    },
    refused('key.wrong', 'wrong', 'search'),
    post('key.in_body', '/search', { query: QUERY, max_results: 1 }, { auth: 'body', credits: [1, 1] }),
  ];
}

const BODIES: Record<string, Body> = {
  search: { query: QUERY },
  extract: { urls: ['https://example.com/'] },
  crawl: { url: 'example.com' },
  map: { url: 'example.com' },
  research: { input: QUERY },
};

function usage(): Probe[] {
  const count = z.int().min(0);
  const counts = (group: string, names: string[], schema: z.ZodType, expects: string): Check[] =>
    names.map((name) => field(`usage.${group}.${name}`, `${group}.${name}`, schema, { expects }));
  const uses = ['search', 'extract', 'crawl', 'map', 'research'].map((name) => `${name}_usage`);
  const whole = 'a whole number';
  return [
    {
      id: 'usage',
      method: 'GET',
      path: '/usage',
      checks: [
        ...counts('key', ['usage', ...uses], count, whole),
        ...counts('key', ['limit'], count.nullable(), `${whole} or null`),
        field('usage.account.current_plan', 'account.current_plan', z.string().nullable()),
        ...counts('account', ['plan_usage', 'paygo_usage', ...uses], count, whole),
        ...counts('account', ['plan_limit', 'paygo_limit'], count.nullable(), `${whole} or null`),
      ],
    },
  ];
}
