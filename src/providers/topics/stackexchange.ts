/*
 * Stack Overflow, or another site of Stack Exchange. What surprised us: being throttled is HTTP 400 with `error_id: 502`; excerpts have no
 * links; texts contain HTML; a good answer may have `backoff`, the seconds to wait, and whoever does not is throttled.
 */
import { own } from '../../core/own-text.ts';
import { numberAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

const DAY_MS = 86_400_000;
const SITES = ['stackoverflow', 'serverfault', 'superuser', 'askubuntu', 'unix', 'dba', 'security'] as const;

export const stackexchange = defineWebApi({
  id: 'stackexchange',
  title: own`Stack Exchange`,
  homepage: 'https://api.stackexchange.com/docs',
  keys: 'optional',
  keyVariable: own`STACK_EXCHANGE_KEY`,
  auth: { query: 'key' },
  baseUrl: 'https://api.stackexchange.com',
  choices: { site: SITES },
  paceMs: 100,
  limits: [{ requests: 300, perMs: DAY_MS, withKey: 10_000 }],
  creditPrice: 0,
  topic: {
    intents: ['programming', 'software'],
    licence: own`CC BY-SA 4.0; credit the author and link the post`,
    mustCredit: true,
  },
  signals: [
    {
      means: 'upstream_authentication',
      status: 400,
      when: /invalid.*key|key_required|access_denied/i,
      body: { error_id: 403, error_message: '`key` is not valid', error_name: 'access_denied' },
    },
    {
      means: 'upstream_quota',
      status: 400,
      when: /more requests available in \d{4,}/i,
      body: {
        error_id: 502,
        error_message: 'too many requests from this IP, more requests available in 67194 seconds',
        error_name: 'throttle_violation',
      },
    },
    {
      means: 'upstream_rate_limit',
      status: 400,
      when: /throttle_violation/,
      body: { error_id: 502, error_message: 'too many requests', error_name: 'throttle_violation' },
    },
    { means: 'upstream_rate_limit', status: 429, body: { error_id: 502, error_name: 'throttle_violation' } },
  ],
  search: {
    method: 'GET',
    path: '/2.3/search/excerpts',
    queryCharsMax: 240,
    pageMax: 100,
    takes: ['timeRange', 'startDate', 'endDate'],
    domainsMax: 0,
    send: ({ text, count, start, end }, { site }) => ({
      q: text,
      site,
      pagesize: count,
      sort: 'relevance',
      order: 'desc',
      fromdate: start === undefined ? undefined : Date.parse(start) / 1_000,
      todate: end === undefined ? undefined : Date.parse(end) / 1_000 + 86_399,
    }),
    list: 'items',
    restSeconds: 'backoff',
    isHtml: true,
    fields: { url: 'link', title: 'title', snippet: 'excerpt', published: 'date' },
    row: (row, url) => {
      const site = url.searchParams.get('site') ?? 'stackoverflow';
      const host = ['unix', 'dba', 'security'].includes(site) ? `${site}.stackexchange.com` : `${site}.com`;
      const answer = numberAt(row, 'answer_id');
      const date = numberAt(row, 'creation_date');
      return {
        ...(row as object),
        link: `https://${host}/${answer === undefined ? `q/${numberAt(row, 'question_id') ?? ''}` : `a/${answer}`}`,
        ...(date !== undefined && { date: new Date(date * 1_000).toISOString() }),
      };
    },
    simulate: ({ path, sent, pages }) => {
      const items = pages(sent['q'], sent['pagesize']).map(({ title, snippet }, index) => ({
        item_type: 'question',
        question_id: 77_001 + index,
        title,
        excerpt: snippet,
        score: 12,
        creation_date: 1_790_000_000,
      }));
      return path === '/2.3/search/excerpts' ? { items, has_more: true, quota_remaining: 291 } : undefined;
    },
  },
});
