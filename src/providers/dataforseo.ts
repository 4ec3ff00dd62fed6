/*
 * DataForSEO: Google's results. What surprised us: HTTP is 200 whatever happens, and both the answer and its task have a code; a place
 * and a language are required; places are numbers (2000 and the country's number in ISO 3166); the key is a login and a password.
 */
import { own } from '../core/own-text.ts';
import { at, creditsAt, numberAt, textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

/** The number of each country, so that the list of countries is this one. */
const NUMBERS: Record<string, number> = Object.fromEntries(
  `ar032 at040 au036 be056 br076 ca124 ch756 cl152 co170 cz203 de276 dk208 eg818 es724 fi246 fr250 gb826 gr300 hk344 hu348 id360 ie372
  il376 in356 it380 jp392 kr410 mx484 my458 nl528 no578 nz554 pe604 ph608 pk586 pl616 pt620 ro642 sa682 se752 sg702 th764 tr792 tw158
  ua804 us840 vn704 za710`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), 2_000 + Number(entry.slice(2))]),
);
const UNITED_STATES = 2_840;
const SUCCESS = 20_000;

const refused = (status_code: number, status_message: string) => ({
  status_code,
  status_message,
  tasks: null,
});

export const dataforseo = defineWebApi({
  id: 'dataforseo',
  title: own`DataForSEO`,
  homepage: 'https://dataforseo.com',
  keys: 'required',
  keyVariable: own`DATAFORSEO_KEY`,
  auth: { header: 'authorization', scheme: 'Basic' },
  baseUrl: 'https://api.dataforseo.com/v3',
  paceMs: 50,
  creditPrice: 1_000,
  unverified: own`the codes for no money and for the rate limit`,
  refusal: (answer) => {
    const failed = [answer, at(answer, 'tasks.0')].find(
      (one) => (numberAt(one, 'status_code') ?? SUCCESS) !== SUCCESS,
    );
    return failed === undefined
      ? undefined
      : `${numberAt(failed, 'status_code')} ${textAt(failed, 'status_message') ?? ''}`;
  },
  signals: [
    {
      means: 'upstream_authentication',
      status: 200,
      when: /^4010[0-1]\b/,
      body: refused(40_100, 'Not authorized.'),
    },
    {
      means: 'upstream_rate_limit',
      status: 200,
      when: /^40202\b/,
      body: refused(40_202, 'Too many requests.'),
    },
    { means: 'upstream_quota', status: 200, when: /^402\d\d\b/, body: refused(40_200, 'Payment required.') },
    { means: 'empty', status: 200, when: /no search results/i, body: refused(40_102, 'No Search Results.') },
  ],
  search: {
    path: ({ topic }) => `/serp/google/${topic === 'news' ? 'news' : 'organic'}/live/advanced`,
    inList: true,
    queryCharsMax: 700,
    queryWordsMax: 32,
    pageMax: 100,
    takes: ['country', 'language', 'exactMatch'],
    topics: ['news'],
    countries: Object.keys(NUMBERS).join(' '),
    send: ({ text, count, country = 'us', language = 'en' }) => ({
      keyword: text,
      location_code: NUMBERS[country] ?? UNITED_STATES,
      language_code: language,
      depth: Math.ceil(count / 10) * 10,
    }),
    list: 'tasks.0.result.0.items',
    listMayMiss: 'tasks.0.result',
    only: (row) => /^(organic|news_search)$/.test(textAt(row, 'type') ?? ''),
    fields: { url: 'url', title: 'title', snippet: 'description|snippet', published: 'timestamp' },
    cost: ({ resultsMax }) => 3 * Math.max(1, Math.ceil(Math.min(100, resultsMax) / 10)),
    credits: (answer) => creditsAt(answer, 'cost'),
    simulate: ({ path, sent, pages }) => ({
      status_code: SUCCESS,
      cost: 0.002,
      tasks: [
        {
          status_code: SUCCESS,
          result: [
            {
              items: pages(sent['keyword'], sent['depth']).map(({ url, title, snippet, date }, index) => ({
                type: path.includes('/news/') ? 'news_search' : 'organic',
                rank_absolute: index + 1,
                title,
                url,
                description: snippet,
                timestamp: date?.replace('T', ' ').replace('Z', ' +00:00'),
              })),
            },
          ],
        },
      ],
    }),
  },
});
