/*
 * GitHub's repositories, and its issues for what looks like a problem. What surprised us: a rate limit is 403 as often as 429; issues need
 * exactly one of `is:issue` and `is:pull-request`; a request without a User-Agent is refused.
 */
import { own } from '../../core/own-text.ts';
import type { SearchQuery } from '../../core/query.ts';
import { numberAt, textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

const PROBLEM =
  /\b(issues?|bugs?|errors?|exception|crash(es|ed)?|fail(s|ed|ure)?|panic|vulnerab\w+|exploit|leak)\b/i;
const isProblem = ({ text }: SearchQuery): boolean => PROBLEM.test(text);
const RATE = {
  message: 'API rate limit exceeded for 203.0.113.7.',
  documentation_url: 'https://docs.github.com',
};

export const github = defineWebApi({
  id: 'github',
  title: own`GitHub`,
  homepage: 'https://docs.github.com/rest/search/search',
  keys: 'optional',
  keyVariable: own`GITHUB_SEARCH_TOKEN`,
  auth: { header: 'authorization', scheme: 'Bearer' },
  baseUrl: 'https://api.github.com',
  paceMs: 100,
  limits: [{ requests: 10, perMs: 60_000, withKey: 30 }],
  creditPrice: 0,
  topic: { intents: ['software', 'security', 'programming'], licence: own`of each repository; link it` },
  signals: [
    { means: 'upstream_authentication', status: 401, body: { message: 'Bad credentials', status: '401' } },
    {
      means: 'upstream_rate_limit',
      status: 403,
      when: /rate limit/i,
      body: RATE,
      headers: { 'retry-after': '60' },
    },
    { means: 'upstream_rate_limit', status: 429, body: RATE },
    { means: 'upstream_quota', status: 402, body: { message: 'Payment required' } },
  ],
  search: {
    method: 'GET',
    path: (query) => `/search/${isProblem(query) ? 'issues' : 'repositories'}`,
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    queryCharsMax: 200,
    pageMax: 100,
    takes: ['timeRange', 'startDate'],
    domainsMax: 0,
    send: ({ text, count, start, query }) => {
      // The word says where to look, and is in no description.
      const words = text.replace(/\b(github|repository|repositories|repos?)\b/gi, ' ').trim() || text;
      const since = start === undefined ? '' : ` ${isProblem(query) ? 'created' : 'pushed'}:>=${start}`;
      return { q: `${words}${isProblem(query) ? ' is:issue' : ''}${since}`, per_page: count };
    },
    list: 'items',
    fields: {
      url: 'html_url',
      title: 'full_name|title',
      snippet: 'about',
      published: 'pushed_at|created_at',
    },
    row: (row) => {
      const stars = numberAt(row, 'stargazers_count');
      const about = textAt(row, 'description|body') ?? '';
      return { ...(row as object), about: stars === undefined ? about : `${about} (${stars} stars)` };
    },
    simulate: ({ path, sent, pages }) => {
      const items = pages(sent['q'], sent['per_page']);
      return path.startsWith('/search/')
        ? {
            total_count: items.length,
            items: items.map(({ url, title, snippet, date }) => ({
              full_name: title,
              html_url: url,
              description: snippet,
              stargazers_count: 321,
              pushed_at: date,
            })),
          }
        : undefined;
    },
  },
});
