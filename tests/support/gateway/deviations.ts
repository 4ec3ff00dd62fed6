/** An answer on its way through a server that is wrong about one thing. */
export interface Answer {
  status: number;
  type: string;
  text: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- requests and answers of any shape
export type Json = Record<string, any>;

/** What the server does, the only check that fails, and which answers it changes how. */
export type Deviation = [
  says: string,
  found: string,
  path: string,
  isMeant: (sent: Json) => boolean,
  change: (answer: Answer) => void,
];

const body = (change: (json: Json) => Json) => (answer: Answer) => {
  answer.text = JSON.stringify(change(JSON.parse(answer.text) as Json));
};
const set = (fields: Json) => body((json) => ({ ...json, ...fields }));
const without = (name: string) => body(({ [name]: _gone, ...rest }) => rest);
const hits = (change: (hit: Json) => Json) =>
  body((json) => ({ ...json, results: (json['results'] as Json[]).map(change) }));
const as =
  (status: number, json: Json = { detail: { error: 'No.' } }) =>
  (answer: Answer) => {
    Object.assign(answer, { status, type: 'application/json', text: JSON.stringify(json) });
  };
const text = (from: RegExp, to: string) => (answer: Answer) => {
  answer.text = answer.text.replace(from, to);
};

const all = (): boolean => true;
const isPlain = ({ query, headers, ...rest }: Json): boolean =>
  Object.keys(rest).length === 0 &&
  query === 'history of tidal mills' &&
  (headers.authorization?.startsWith('Bearer hg_') ?? false);
const two = (sent: Json): boolean => sent['max_results'] === 2;
const limited = (sent: Json): boolean => sent['limit'] > 1;
const streamed = (sent: Json): boolean => sent['stream'] === true;

/** Servers that are almost Tavily. */
export const TAVILY_DEVIATIONS: Deviation[] = [
  ['images only where they were asked for', 'search.images', '/search', isPlain, without('images')],
  ['no answer instead of null', 'search.answer', '/search', isPlain, without('answer')],
  [
    'ten results by default',
    'search.count',
    '/search',
    isPlain,
    body((json) => ({ ...json, results: Array.from({ length: 10 }, () => json['results'][0] as Json) })),
  ],
  [
    'scores as text',
    'search.result.score',
    '/search',
    isPlain,
    hits((hit) => ({ ...hit, score: String(hit['score']) })),
  ],
  [
    'the best last',
    'search.order',
    '/search',
    isPlain,
    body((json) => ({ ...json, results: (json['results'] as Json[]).toReversed() })),
  ],
  [
    'no raw_content instead of null',
    'search.result.raw_content',
    '/search',
    isPlain,
    hits(({ raw_content: _gone, ...hit }) => hit),
  ],
  ['seconds as text', 'search.response_time', '/search', isPlain, set({ response_time: '1.67' })],
  ['usage that nobody asked for', 'search.unasked', '/search', isPlain, set({ usage: { credits: 1 } })],
  [
    'max_results ignored',
    'search.options.count',
    '/search',
    two,
    body((json) => ({ ...json, results: [...json['results'], ...json['results']] })),
  ],
  [
    'images without descriptions',
    'search.options.images',
    '/search',
    two,
    body((json) => ({ ...json, images: ['https://example.com/a.png'] })),
  ],
  ['no usage where it was asked for', 'search.options.usage', '/search', two, without('usage')],
  [
    'dates as ISO 8601',
    'search.news.published_date',
    '/search',
    ({ topic }) => topic === 'news',
    hits((hit) => ({ ...hit, published_date: '2026-01-01T00:00:00Z' })),
  ],
  [
    'include_domains ignored',
    'search.domains.results',
    '/search',
    ({ include_domains: domains }) => domains?.length === 1,
    hits((hit) => ({ ...hit, url: 'https://elsewhere.example/' })),
  ],
  [
    'ultra_fast instead of ultra-fast',
    'search.depth.ultra-fast',
    '/search',
    (sent) => sent['search_depth'] === 'ultra-fast',
    as(422),
  ],
  ['fields of clients refused', 'search.lenient', '/search', (sent) => sent['days'] === 7, as(422)],
  [
    'long queries taken',
    'refused.query_long',
    '/search',
    ({ query }) => query?.length > 400,
    as(200, { results: [] }),
  ],
  [
    'another text for a bad topic',
    'refused.topic.text',
    '/search',
    ({ topic }) => topic === 'sports',
    as(400),
  ],
  [
    'the envelope of callers without a key for every error',
    'refused.search_depth.body',
    '/search',
    (sent) => sent['search_depth'] === 'deep',
    as(400, { error: { code: 'bad', message: 'No.' } }),
  ],
  [
    '403 for a wrong key',
    'key.wrong',
    '/search',
    ({ headers }) => /wrong/.test(headers.authorization ?? ''),
    as(403),
  ],
  [
    'usage for everybody',
    'key.missing.usage',
    '/usage',
    ({ headers }) => headers.authorization === undefined,
    as(200, {}),
  ],
  ['no key in the body', 'key.in_body', '/search', (sent) => sent['api_key'] !== undefined, as(401)],
  [
    'a failing page fails the call',
    'extract.failing',
    '/extract',
    ({ urls }) => urls?.[0] === 'https://gone.invalid/',
    as(422),
  ],
  [
    'a list of addresses only',
    'extract.one_url',
    '/extract',
    ({ urls }) => typeof urls === 'string',
    as(422),
  ],
  ['21 addresses', 'extract.refused.urls_many', '/extract', ({ urls }) => urls?.length === 21, as(200, {})],
  [
    'base_url completed',
    'crawl.base_url',
    '/crawl',
    limited,
    body((json) => ({ ...json, base_url: `https://${String(json['base_url'])}` })),
  ],
  ['a depth of six', 'crawl.refused.max_depth', '/crawl', (sent) => sent['max_depth'] === 6, as(200, {})],
  [
    'pages instead of addresses',
    'map.result',
    '/map',
    limited,
    body((json) => ({ ...json, results: [{ url: json['results'][0] as string }] })),
  ],
  ['no request_id', 'map.request_id', '/map', limited, without('request_id')],
  [
    'an answer for a research that nobody knows',
    'research.unknown',
    '/research/0000',
    all,
    as(200, { status: 'failed' }),
  ],
  [
    'sources as addresses',
    'research.completed.sources',
    '/research/',
    (sent) => sent['include_usage'] === 'true',
    body((json) => (json['sources'] === undefined ? json : { ...json, sources: ['https://example.com/'] })),
  ],
  ['a stream without its end', 'research.stream.done', '/research', streamed, text(/event: done$/, '')],
  [
    'a stream without the names of its events',
    'research.stream.events',
    '/research',
    streamed,
    text(/event: chat.completion.chunk\n/g, ''),
  ],
  [
    'tool calls as a list',
    'research.stream.deltas',
    '/research',
    streamed,
    text(/"tool_calls":(\{.*?\]\})(?=\}\}\])/g, '"tool_calls":[$1]'),
  ],
  [
    'fractions of credits',
    'usage.key.usage',
    '/usage',
    ({ headers }) => headers.authorization !== undefined,
    body((json) => ({ ...json, key: { ...json['key'], usage: 1.5 } })),
  ],
  [
    'a page for an unknown address',
    'route.unknown',
    '/no-such-endpoint',
    all,
    (answer) => Object.assign(answer, { type: 'text/html', text: '<h1>Not found</h1>' }),
  ],
];

const isFirst = (sent: Json): boolean =>
  Object.keys(sent).length === 3 && sent['q'] === 'history of tidal mills';

/** Servers that are almost SearXNG. */
export const SEARXNG_DEVIATIONS: Deviation[] = [
  ['no list of answers', 'search.answers', '/search', isFirst, without('answers')],
  [
    'names of engines only',
    'search.unresponsive_engines',
    '/search',
    isFirst,
    set({ unresponsive_engines: ['bing'] }),
  ],
  ['no engines', 'search.result.engines', '/search', isFirst, hits(({ engines: _gone, ...hit }) => hit)],
  [
    'an address in five parts',
    'search.result.parsed_url',
    '/search',
    isFirst,
    hits((hit) => ({ ...hit, parsed_url: ['', '', '', '', ''] })),
  ],
  ['scores as text', 'search.result.score', '/search', isFirst, hits((hit) => ({ ...hit, score: '1' }))],
  [
    'dates of HTTP',
    'search.result.publishedDate',
    '/search',
    isFirst,
    hits((hit) => ({ ...hit, publishedDate: 'Tue, 11 Mar 2025 17:00:00 GMT' })),
  ],
  [
    'the first page again',
    'search.page.other',
    '/search',
    (sent) => sent['pageno'] === '2' || isFirst(sent),
    hits((hit) => ({ ...hit, url: 'https://same.example/' })),
  ],
  [
    'pictures without their source',
    'search.images.img_src',
    '/search',
    ({ categories }) => categories === 'images',
    hits((hit) => ({ ...hit, img_src: '' })),
  ],
  [
    'a page for an empty query',
    'refused.query',
    '/search',
    ({ q }) => q === '',
    (answer) => Object.assign(answer, { status: 200, type: 'text/html', text: '<h1>Search</h1>' }),
  ],
  [
    'an unknown range ignored',
    'refused.time_range',
    '/search',
    (sent) => sent['time_range'] === 'decade',
    as(200, { results: [] }),
  ],
  [
    'no forms',
    'search.form',
    '/search',
    (sent) => /urlencoded/.test(sent['headers']['content-type'] ?? ''),
    as(405),
  ],
];
