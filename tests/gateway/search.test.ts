import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
});
afterAll(() => gateway.close());

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

describe('POST /search', () => {
  test('answers with Tavily’s fields in Tavily’s order, and ours after them', async () => {
    const response = await gateway.post('/search', { query: 'tidal mills', max_results: 2 });
    expect(response.status).toBe(200);
    const body = await json(response);
    expect(Object.keys(body)).toEqual([
      'query',
      'follow_up_questions',
      'answer',
      'images',
      'results',
      'response_time',
      'request_id',
      'outcome',
      'cached',
      'attempts',
      'warnings',
      'cost',
    ]);
    expect(body).toMatchObject({ query: 'tidal mills', follow_up_questions: null, answer: null, images: [] });
    const [first, second] = body['results'] as Record<string, unknown>[];
    expect(Object.keys(first ?? {}).slice(0, 6)).toEqual([
      'url',
      'title',
      'content',
      'score',
      'raw_content',
      'id',
    ]);
    expect(first).toMatchObject({
      raw_content: null,
      id: expect.stringMatching(/^[0-9a-f]{6}-00$/) as string,
    });
    expect(second).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{6}-01$/) as string });
    expect(typeof body['response_time']).toBe('number');
  });

  test.each([
    ['no query', {}, 'Query is missing.'],
    ['an empty query', { query: '' }, 'Query is missing.'],
    ['a blank query', { query: '   ' }, 'Query is missing.'],
    ['a query of one character', { query: 'q' }, 'Query is too short. Min query length is 2 characters.'],
    [
      'a query of 401 characters',
      { query: 'q'.repeat(401) },
      'Query is too long. Max query length is 400 characters.',
    ],
    ['a query that is no text', { query: 7 }, 'Query must be a string.'],
    ['a negative number of results', { query: 'qq', max_results: -1 }, 'Invalid max results.'],
    ['21 results', { query: 'qq', max_results: 21 }, 'Invalid max results.'],
    [
      'an unknown topic',
      { query: 'qq', topic: 'sports' },
      "Invalid topic. Must be 'general', 'news', or 'finance'",
    ],
    ['an empty topic', { query: 'qq', topic: '' }, "Invalid topic. Must be 'general', 'news', or 'finance'"],
    [
      'an unknown answer mode',
      { query: 'qq', include_answer: 'long' },
      "Invalid value for include_answer. Must be True, False, 'basic', or 'advanced'.",
    ],
    [
      '301 domains',
      { query: 'qq', include_domains: Array.from({ length: 301 }, (_, index) => `a${index}.com`) },
      'Invalid value for include_domains. Max 300 domains are allowed.',
    ],
    [
      '151 domains to leave out',
      { query: 'qq', exclude_domains: Array.from({ length: 151 }, (_, index) => `a${index}.com`) },
      'Invalid value for exclude_domains. Max 150 domains are allowed.',
    ],
    [
      'a date that is none',
      { query: 'qq', start_date: '01/02/2026' },
      'Invalid date format. Expected YYYY-MM-DD, got: 01/02/2026',
    ],
    [
      'dates the wrong way round',
      { query: 'qq', start_date: '2026-02-01', end_date: '2026-01-01' },
      'start_date cannot be after end_date',
    ],
    [
      'a range and a date',
      { query: 'qq', time_range: 'week', start_date: '2026-01-01' },
      'When time_range is set, start_date or end_date cannot be set',
    ],
    [
      'a domain mode without domains',
      { query: 'qq', include_domains_mode: 'prefer' },
      'include_domains_mode requires include_domains to be set.',
    ],
  ])('refuses %s with 400 and Tavily’s words', async (_name, body, message) => {
    const response = await gateway.post('/search', body);
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ detail: { error: message } });
  });

  test.each([
    ['a key in the body', { api_key: 'tvly-x' }],
    ['what @tavily/ai-sdk leaks', { apiBaseURL: 'http://127.0.0.1', apiKey: 'tvly-x' }],
    ['what LangChain adds', { client_source: 'langchain-js' }],
    ['what @tavily/core passes on', { maxTokens: 100, max_hours: 5, fetch_timeout: 3, cache_fallback: true }],
    ['empty lists', { include_domains: [], exclude_domains: [] }],
    ['nulls', { topic: null, time_range: null, start_date: null, include_domains: null, days: null }],
    ['empty text', { start_date: '', end_date: '', country: '', time_range: '' }],
    ['days with any topic', { days: 7, topic: 'general' }],
    ['days that mean nothing', { days: 0 }],
    ['chunks without anything to chunk', { chunks_per_source: 3 }],
    ['a country in any case', { country: 'United States' }],
    ['no results at all', { max_results: 0 }],
  ])('accepts %s without a warning about it', async (_name, body) => {
    const response = await gateway.post('/search', { query: 'tidal mills', ...body });
    expect(response.status).toBe(200);
    const { warnings } = await json(response);
    expect((warnings as string[]).filter((warning) => warning.includes('unknown field'))).toEqual([]);
  });

  test('names a field that nobody knows, because a misspelt one would do nothing in silence', async () => {
    const response = await gateway.post('/search', { query: 'tidal mills', max_result: 3 });
    expect(await json(response)).toMatchObject({ warnings: ['max_result: unknown field, ignored.'] });
  });

  test('a careless base URL with a slash at its end still finds the route', async () => {
    expect((await gateway.post('//search', { query: 'tidal mills' })).status).toBe(200);
    expect((await gateway.post('/search/', { query: 'tidal mills' })).status).toBe(200);
  });

  test('an unknown path answers as Tavily’s server does', async () => {
    const response = await gateway.post('/nothing', {});
    expect([response.status, await json(response)]).toEqual([404, { detail: 'Not Found' }]);
  });

  test('what was used is told when it is asked for', async () => {
    const response = await gateway.post('/search', { query: 'tidal mills', include_usage: true });
    expect(await json(response)).toMatchObject({ usage: { credits: 0 } });
  });
});
