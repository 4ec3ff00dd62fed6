/*
 * An index of the user's own in OpenSearch or Elasticsearch, for what does not fit one machine. Only what both understand is used: `_search` with
 * `multi_match`, `terms`, `range` and `highlight`; the mapping is in opensearch-index.ts. What surprised us: a shard that fails or a time-out
 * still answers 200, with fewer hits; scores have no upper bound; a missing index is a 404.
 */
import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { listed, own, warned } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { requiredUrl } from '../kit/base-url.ts';
import { failureOf } from '../kit/failure.ts';
import { noWebPages } from '../kit/narrow.ts';
import { makeSource, webUrl, withoutDuplicates } from '../kit/make-source.ts';
import { defineProvider, type SearchPage } from '../provider.ts';
import { readJson, readJsonIfAny } from '../kit/read-json.ts';
import { unsupported } from '../kit/wanted.ts';

export const OPENSEARCH = {
  id: 'opensearch',
  title: own`OpenSearch`,
  keyVariable: own`OPENSEARCH_KEY`,
  urlVariable: own`OPENSEARCH_URL`,
};
const FRAGMENT_CHARS = 500;

const settings = z.object({
  /** Required: there is no default server. */
  base_url: requiredUrl().optional(),
  index: z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9_.-]{0,200}$/, 'must be a name that OpenSearch allows for an index')
    .default('headgate'),
});
export type OpenSearchSettings = z.output<typeof settings>;

export const opensearch = defineProvider({
  ...OPENSEARCH,
  homepage: 'https://opensearch.org',
  settings: () => settings,
  keys: 'optional',
  paceMs: 0,
  creditPrice: 0,
  fail,
  search: {
    queryCharsMax: 1_000,
    supports: ['includeRawContent', 'chunksPerSource'],
    request: (query, given, key) => {
      const { url, headers } = addressOf(given, `/${given.index}/_search`, key);
      return { method: 'POST', url, headers, body: JSON.stringify(bodyFor(query)) };
    },
    parse,
    warnings: (query) =>
      unsupported(OPENSEARCH.title, query, [
        'topic',
        'timeRange',
        'country',
        'language',
        'includeImages',
        'includeFavicon',
        'autoParameters',
        'safeSearch',
      ]),
  },
});

/** The address of a request and its credentials: a key, `user:password` as a key, or both in the address. */
export function addressOf(
  { base_url: base }: OpenSearchSettings,
  path: string,
  key: string | undefined,
): { url: string; headers: Record<string, string> } {
  if (base === undefined) {
    throw new HeadgateError('not_configured', 'OpenSearch has no address.', {
      provider: OPENSEARCH.id,
      remediation: 'Set [providers.opensearch] base_url.',
    });
  }
  const url = new URL(`${base}${path}`);
  const inAddress =
    url.username === ''
      ? undefined
      : `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const secret = key ?? inAddress;
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/json',
  };
  if (secret !== undefined) headers['authorization'] = authorization(secret);
  return { url: url.href, headers };
}

const authorization = (secret: string): string =>
  secret.includes(':') ? `Basic ${Buffer.from(secret).toString('base64')}` : `ApiKey ${secret}`;

function bodyFor(query: SearchQuery): object {
  const include = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const exclude = query.excludeDomains ?? [];
  const dates = {
    ...(query.startDate === undefined ? {} : { gte: query.startDate }),
    ...(query.endDate === undefined ? {} : { lte: query.endDate }),
  };
  const filter = [
    ...(include.length === 0 ? [] : [{ terms: { domains: include.map(plainHost) } }]),
    ...(Object.keys(dates).length === 0 ? [] : [{ range: { published_date: dates } }]),
  ];
  return {
    size: query.resultsMax,
    _source: [
      'url',
      'title',
      'published_date',
      ...(query.includeRawContent === undefined ? [] : ['content']),
    ],
    query: {
      bool: {
        must: [{ multi_match: { query: query.text, type: 'most_fields', fields: FIELDS } }],
        ...(filter.length === 0 ? {} : { filter }),
        ...(exclude.length === 0 ? {} : { must_not: [{ terms: { domains: exclude.map(plainHost) } }] }),
      },
    },
    highlight: {
      pre_tags: [''],
      post_tags: [''],
      fields: {
        content: {
          fragment_size: FRAGMENT_CHARS,
          number_of_fragments: query.chunksPerSource ?? 1,
          no_match_size: FRAGMENT_CHARS,
          // Matches by pairs of characters are highlighted too.
          require_field_match: false,
        },
      },
    },
  };
}

const FIELDS = ['title^3', 'title.cjk^3', 'content', 'content.cjk'];

const plainHost = (host: string): string => host.toLowerCase().replace(/^www\./, '');

const text = z.string().nullish().catch(undefined);
const shape = z.object({
  timed_out: z.boolean().catch(false),
  _shards: z.object({ failed: z.number().catch(0) }).catch({ failed: 0 }),
  hits: z.object({
    hits: z.array(
      z.object({
        _score: z.number().nullish().catch(undefined),
        _source: z.object({ url: z.string(), title: text, published_date: text, content: text }),
        highlight: z.object({ content: z.array(z.string()).catch([]) }).catch({ content: [] }),
      }),
    ),
  }),
});
type Hit = z.output<typeof shape>['hits']['hits'][number];

function parse(response: HttpResponse, query: SearchQuery): SearchPage {
  const answer = readJson(response, OPENSEARCH, shape);
  const { hits } = answer.hits;
  const best = Math.max(...hits.map((hit) => hit._score ?? 0), Number.MIN_VALUE);
  const sources = withoutDuplicates(hits.flatMap((hit) => toSource(hit, (hit._score ?? 0) / best)));
  const missing = [
    ...(answer.timed_out ? [own`it ran out of time`] : []),
    ...(answer._shards.failed > 0 ? [own`${answer._shards.failed} of its shards failed`] : []),
  ];
  if (hits.length > 0 && sources.length === 0)
    return { outcome: 'degraded', sources, reason: noWebPages(OPENSEARCH.title) };
  if (missing.length === 0) return { outcome: sources.length === 0 ? 'empty' : 'ok', sources };
  const reason = warned`OpenSearch may have found less than there is: ${listed(missing)}.`;
  return sources.length === 0
    ? { outcome: 'degraded', sources, reason }
    : { outcome: 'ok', sources: sources.slice(0, query.resultsMax), warnings: [reason] };
}

/** Documents of files and packages have addresses that are not web addresses; they are kept unchanged. */
function toSource({ _source: found, highlight }: Hit, score: number): Source[] {
  const isOwn = /^(npm|file):/.test(found.url);
  const source = makeSource({
    provider: OPENSEARCH.id,
    url: isOwn ? 'https://library.invalid/' : (webUrl(found.url) ?? ''),
    title: found.title,
    snippet: highlight.content.join('\n…\n'),
    content: found.content,
    score: Math.round(score * 1e4) / 1e4,
    published: found.published_date,
  });
  if (source === undefined) return [];
  return [isOwn ? { ...source, url: found.url } : source];
}

const errorShape = z.object({
  error: z.union([z.string(), z.object({ type: z.string().catch(''), reason: z.string().catch('') })]),
});

/** The error in a response body. */
export function errorOf(body: string): { type: string; reason: string } {
  const said = errorShape.safeParse(readJsonIfAny(body));
  if (!said.success) return { type: '', reason: '' };
  const { error } = said.data;
  return typeof error === 'string' ? { type: '', reason: error } : error;
}

function fail(response: HttpResponse, now?: number): HeadgateError {
  const { type, reason } = errorOf(response.body);
  if (response.status === 404 && type === 'index_not_found_exception') {
    return new HeadgateError('not_configured', 'OpenSearch has no index of the configured name.', {
      provider: OPENSEARCH.id,
      cause: reason,
      remediation:
        'Fill it with `headgate library add --to opensearch PATH`, or set [providers.opensearch] index.',
    });
  }
  return failureOf(OPENSEARCH, response, { words: reason, now });
}
