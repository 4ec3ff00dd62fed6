import { z } from 'zod';
import { searchContract, searchHit } from '../../contract/search.ts';
import { LIMITS } from '../../core/limits.ts';
import { SEARCH_DEPTHS } from '../../core/query.ts';
import type { Body } from '../../gateway/door/request-body.ts';
import { searchWire } from '../../gateway/tavily/search.ts';
import { check, field, valuesAt, wrong, type Check, type Heard } from './check.ts';
import type { Probe } from './probe.ts';
import { atMost, common, credits, none, post, QUERY, refusal } from './tavily-call.ts';

const DEFAULTS = searchContract.input.parse({ query: QUERY });
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const hit = searchHit.shape;
const { images, answer } = searchContract.output.shape;

/** Searches that are answered. */
export function searches(): Probe[] {
  return [
    search('search', {}, plainChecks()),
    search('search.options', OPTIONS, optionChecks()),
    search('search.news', { topic: 'news', time_range: 'week' }, [
      field('search.news.published_date', 'results[].published_date', z.string().regex(HTTP_DATE), {
        expects: 'such as Tue, 11 Mar 2025 17:00:00 GMT',
        in: 'some',
      }),
    ]),
    search('search.none', { max_results: 0 }, [none('search.none.results', 'results')]),
    {
      ...search('search.domains', {}),
      body: (heard) => ({ query: QUERY, include_domains: [firstHost(heard)] }),
      checks: [ofDomain()],
    },
    {
      ...search('search.auto_parameters', { auto_parameters: true }, [
        field('search.auto_parameters.chosen', 'auto_parameters', z.record(z.string(), z.unknown())),
      ]),
      credits: [1, 2],
    },
    ...SEARCH_DEPTHS.filter((depth) => depth !== 'basic').map((depth): Probe => ({
      ...search(`search.depth.${depth}`, { search_depth: depth, max_results: 1 }),
      credits: depth === 'advanced' ? [2, 2] : [1, 1],
    })),
    search('search.lenient', LENIENT),
  ];
}

const search = (id: string, body: Body, checks: Check[] = []): Probe =>
  post(id, '/search', { query: QUERY, ...body }, { credits: [1, 1], checks });

const OPTIONS = {
  max_results: 2,
  include_answer: true,
  include_raw_content: 'markdown',
  include_images: true,
  include_image_descriptions: true,
  include_favicon: true,
  include_usage: true,
};

/** What published clients send, though it has no effect. */
const LENIENT = {
  max_results: 1,
  days: 7,
  country: 'United States',
  chunks_per_source: 3,
  include_domains: [],
  exclude_domains: [],
  time_range: null,
  client_source: 'conform',
  apiBaseURL: 'http://127.0.0.1',
  maxTokens: 4_000,
};

const plainChecks = (): Check[] => [
  check('search.query', `query: ${QUERY}`, 'query', (value) => value === QUERY),
  field('search.follow_up_questions', 'follow_up_questions', z.null()),
  field('search.answer', 'answer', z.null()),
  none('search.images', 'images'),
  atMost('search', DEFAULTS.max_results),
  field('search.result.url', 'results[].url', z.url({ protocol: /^https?$/ })),
  field('search.result.title', 'results[].title', hit.title),
  field('search.result.content', 'results[].content', hit.content),
  field('search.result.score', 'results[].score', hit.score.min(0).max(1), {
    expects: 'a number from 0 to 1',
  }),
  field('search.result.raw_content', 'results[].raw_content', z.null()),
  field('search.result.id', 'results[].id', z.string().regex(/^[0-9a-f]{6}-\d{2}$/), {
    expects: 'such as a3f9c2-04',
    in: 'any',
  }),
  descending(),
  unasked('search.unasked', ['usage', 'auto_parameters', 'results[].favicon']),
  ...common('search'),
];

const optionChecks = (): Check[] => [
  atMost('search.options', OPTIONS.max_results),
  field('search.options.answer', 'answer', answer.unwrap().min(1)),
  field('search.options.raw_content', 'results[].raw_content', hit.raw_content),
  field('search.options.images', 'images[]', images.element.options[1], { expects: '{url, description}' }),
  field('search.options.favicon', 'results[].favicon', hit.favicon.unwrap().min(1), { in: 'some' }),
  credits('search.options'),
];

const ofDomain = (): Check => ({
  id: 'search.domains.results',
  expects: 'results[].url: of the domain that was asked for',
  test: ({ json }, heard) => {
    const urls = valuesAt(json, 'results[].url');
    if (urls.length === 0) return { skipped: 'the list is empty' };
    const other = urls.find((url) => !hostOf(url).endsWith(firstHost(heard)));
    return other === undefined ? undefined : wrong(other);
  },
});

const hostOf = (url: unknown): string =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : '';

/** A site that is known to have results. */
const firstHost = (heard: Heard): string =>
  hostOf(valuesAt(heard.get('search')?.json, 'results[].url')[0]) || 'wikipedia.org';

const descending = (): Check => ({
  id: 'search.order',
  expects: 'results[].score: descending',
  test: ({ json }) => {
    const scores = valuesAt(json, 'results[].score') as number[];
    return scores.some((score, at) => score > (scores[at - 1] ?? score)) ? wrong(scores) : undefined;
  },
});

const unasked = (id: string, paths: string[]): Check => ({
  id,
  expects: `without ${paths.join(', ')}`,
  test: ({ json }) => {
    const found = paths.find((path) => valuesAt(json, path).some((value) => value != null));
    return found === undefined ? undefined : { came: found };
  },
});

/** Searches that are refused. */
export function searchRefusals(): Probe[] {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `site${at}.example`);
  const known: Record<string, Body> = {
    query_empty: { query: '' },
    query_short: { query: 'x' },
    query_long: { query: 'x'.repeat(401) },
    max_results: { query: QUERY, max_results: -1 },
    topic: { query: QUERY, topic: 'sports' },
    include_answer: { query: QUERY, include_answer: 'perhaps' },
    date: { query: QUERY, start_date: '31.01.2026' },
    dates: { query: QUERY, start_date: '2026-02-01', end_date: '2026-01-01' },
    time_range_and_date: { query: QUERY, time_range: 'week', start_date: '2026-01-01' },
    country: { query: QUERY, country: 'atlantis' },
    include_domains: { query: QUERY, include_domains: many(LIMITS.domainsIncludeMax + 1) },
    exclude_domains: { query: QUERY, exclude_domains: many(LIMITS.domainsExcludeMax + 1) },
  };
  const others: Record<string, Body | string> = {
    query_missing: {},
    query_type: { query: 7 },
    search_depth: { query: QUERY, search_depth: 'deep' },
    domains_mode: { query: QUERY, include_domains_mode: 'restrict' },
    not_json: '{"query": ',
  };
  return [
    ...Object.entries(known).map(([name, body]) =>
      refusal(`refused.${name}`, '/search', body, searchWire.decode),
    ),
    ...Object.entries(others).map(([name, body]) => refusal(`refused.${name}`, '/search', body)),
  ];
}
