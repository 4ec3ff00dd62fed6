import { z } from 'zod';
import { TIME_RANGES } from '../../core/query.ts';
import { check, field, valuesAt, wrong, type Check } from './check.ts';
import type { Kit, Probe } from './probe.ts';

// SearXNG's JSON API as calls and what their answers must be. `number_of_results` comes from older versions only.

const QUERY = 'history of tidal mills';

/** SearXNG's JSON API. The key, where a server has one, is sent as the password. */
export const kit: Kit = {
  title: 'SearXNG’s API',
  auth: (key) => ({ authorization: `Basic ${Buffer.from(`headgate:${key}`).toString('base64')}` }),
  probes: () => [
    search('search', {}, plainChecks()),
    search('search.page', { pageno: '2' }, [otherPage()]),
    search('search.images', { categories: 'images' }, [
      field('search.images.img_src', 'results[].img_src', z.string().min(1), { in: 'some' }),
      is('search.images.category', 'results[].category', 'images'),
    ]),
    search('search.news', { categories: 'news' }, [is('search.news.category', 'results[].category', 'news')]),
    ...TIME_RANGES.map((range) => search(`search.time_range.${range}`, { time_range: range })),
    ...['all', 'de', 'de-DE'].map((language) => search(`search.language.${language}`, { language })),
    ...['0', '1', '2'].map((level) => search(`search.safesearch.${level}`, { safesearch: level })),
    // What applications send, though it is empty, unknown, or for people.
    search('search.lenient', {
      time_range: '',
      categories: '',
      engines: 'google,bing',
      theme: 'simple',
      image_proxy: '0',
    }),
    {
      id: 'search.form',
      method: 'POST',
      path: '/search',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ q: QUERY, format: 'json' }).toString(),
      checks: [check('search.form.query', `query: ${QUERY}`, 'query', (value) => value === QUERY)],
    },
    refused('refused.query', { q: '' }),
    refused('refused.pageno', { pageno: 'x' }),
    refused('refused.time_range', { time_range: 'decade' }),
    refused('refused.safesearch', { safesearch: '7' }),
  ],
};

const pathOf = (fields: Record<string, string>): string =>
  `/search?${new URLSearchParams({ q: QUERY, format: 'json', ...fields }).toString()}`;

const search = (id: string, fields: Record<string, string>, checks: Check[] = []): Probe => ({
  id,
  method: 'GET',
  path: pathOf(fields),
  checks: [field(`${id}.results`, 'results', z.array(z.unknown())), ...checks],
});

const refused = (id: string, fields: Record<string, string>): Probe => ({
  id,
  method: 'GET',
  path: pathOf(fields),
  status: [400],
  checks: [field(`${id}.error`, 'error', z.string().min(1))],
});

const is = (id: string, path: string, value: string): Check =>
  field(id, path, z.literal(value), { expects: value });

function plainChecks(): Check[] {
  const result = (name: string, schema: z.ZodType, expects?: string, isOptional = false): Check =>
    field(`search.result.${name}`, `results[].${name}`, schema, {
      ...(expects === undefined ? {} : { expects }),
      ...(isOptional ? { in: 'any' } : {}),
    });
  const lists = ['answers', 'corrections', 'infoboxes', 'suggestions'];
  return [
    check('search.query', `query: ${QUERY}`, 'query', (value) => value === QUERY),
    check(
      'search.some',
      'results: at least one',
      'results',
      (list: unknown) => Array.isArray(list) && list.length > 0,
    ),
    field('search.number_of_results', 'number_of_results', z.number().min(0), { in: 'any' }),
    ...lists.map((name) => field(`search.${name}`, name, z.array(z.unknown()))),
    field('search.unresponsive_engines', 'unresponsive_engines', z.array(z.tuple([z.string(), z.string()])), {
      expects: 'a list of [engine, reason]',
    }),
    result('url', z.url()),
    result('title', z.string().min(1)),
    result('content', z.string()),
    result('engine', z.string().min(1)),
    result('engines', z.array(z.string()).min(1)),
    result('score', z.number()),
    result('category', z.string().min(1)),
    result('template', z.string().min(1)),
    result('positions', z.array(z.int()).min(1)),
    result('parsed_url', z.array(z.string()).length(6), 'six parts'),
    result(
      'publishedDate',
      z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/)
        .nullable(),
      'such as 2026-01-31T12:00:00, or null',
      true,
    ),
    result('img_src', z.string(), undefined, true),
    result('thumbnail', z.string().nullable(), undefined, true),
  ];
}

/** Engines repeat some results on the next page, but not all. */
const otherPage = (): Check => ({
  id: 'search.page.other',
  expects: 'results that are not on the first page',
  test: ({ json }, heard) => {
    const first = valuesAt(heard.get('search')?.json, 'results[].url');
    const next = valuesAt(json, 'results[].url');
    if (next.length === 0) return { skipped: 'the list is empty' };
    return next.every((url) => first.includes(url)) ? wrong(next) : undefined;
  },
});
