import { json, objectIn, type SimRequest, type SimResponse, type SimUpstream } from './upstream.ts';
import { hasNothing, pagesAbout } from './pseudo.ts';

/*
 * The few endpoints of OpenSearch that Headgate uses: PUT /<index>, POST /<index>/_bulk, POST /<index>/_search. An index that was filled finds its own documents;
 * `headgate` finds the simulator's small web as long as it is empty. A query can ask for a scenario:
 *
 *   …noresult…  no hits        sim:timeout  fewer hits, out of time        sim:shards  no hits, shards failed
 *
 * The password `bad` is refused.
 */
interface Stored {
  url: string;
  title: string;
  content: string;
  domains: string[];
  published_date?: string;
}

const indexes = new Map<string, Map<string, Stored>>();

export const opensearchSim: SimUpstream = {
  id: 'opensearch',
  handle: (request) => {
    const [, name = '', action = ''] = request.url.pathname.split('/');
    if (secretOf(request).endsWith(':bad') || secretOf(request) === 'bad')
      return failure(401, 'security_exception', 'unable to authenticate');
    if (request.method === 'PUT' && action === '') return create(name, request);
    if (request.method === 'POST' && action === '_bulk') return bulk(name, request);
    if (request.method === 'POST' && action === '_search') return search(name, request);
    return undefined;
  },
};

function secretOf({ headers }: SimRequest): string {
  const [scheme = '', value = ''] = (headers['authorization'] ?? '').split(' ');
  return scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : value;
}

const failure = (status: number, type: string, reason: string): SimResponse =>
  json(status, { error: { root_cause: [{ type, reason }], type, reason }, status });

function create(name: string, request: SimRequest): SimResponse {
  if (objectIn(request)?.['mappings'] === undefined)
    return failure(400, 'parse_exception', 'a mapping is expected here');
  if (indexes.has(name))
    return failure(400, 'resource_already_exists_exception', `index [${name}] already exists`);
  indexes.set(name, new Map());
  return json(200, { acknowledged: true, shards_acknowledged: true, index: name });
}

function bulk(name: string, { headers, body }: SimRequest): SimResponse {
  const index = indexes.get(name);
  if (index === undefined) return failure(404, 'index_not_found_exception', `no such index [${name}]`);
  if (!(headers['content-type'] ?? '').includes('ndjson') || !body.endsWith('\n'))
    return failure(
      400,
      'illegal_argument_exception',
      'The bulk request must be terminated by a newline [\\n]',
    );
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const items = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const { _id: id } = (lines[at] as { index: { _id: string } }).index;
    const document = lines[at + 1] as Stored;
    const error =
      document.content === 'sim:refuse'
        ? { type: 'mapper_parsing_exception', reason: 'failed to parse' }
        : undefined;
    const result = index.has(id) ? 'updated' : 'created';
    if (error === undefined) index.set(id, document);
    items.push({
      index: {
        _index: name,
        _id: id,
        ...(error === undefined ? { result, status: 201 } : { error, status: 400 }),
      },
    });
  }
  return json(200, { took: 1, errors: items.some(({ index: item }) => 'error' in item), items });
}

interface Asked {
  size: number;
  _source: string[];
  query: {
    bool: {
      must: { multi_match: { query: string } }[];
      filter?: {
        terms?: { domains: string[] };
        range?: { published_date: { gte?: string; lte?: string } };
      }[];
      must_not?: { terms: { domains: string[] } }[];
    };
  };
}

function search(name: string, request: SimRequest): SimResponse {
  const index = indexes.get(name);
  if (index === undefined && name !== 'headgate')
    return failure(404, 'index_not_found_exception', `no such index [${name}]`);
  const asked = objectIn(request) as unknown as Asked;
  const query = asked.query.bool.must[0]?.multi_match.query ?? '';
  const isBroken = query === 'sim:shards';
  const found =
    hasNothing(query) || isBroken
      ? []
      : index === undefined || index.size === 0
        ? smallWeb(query)
        : matching(index, query);
  const hits = found
    .filter(({ document }) => isAllowed(document, asked))
    .slice(0, asked.size)
    .map(({ document, score }) => ({
      _index: name,
      _id: document.url,
      _score: score,
      _source: Object.fromEntries(
        Object.entries(document).filter(([field]) => asked._source.includes(field)),
      ),
      highlight: { content: [document.content.slice(0, 500)] },
    }));
  return json(200, {
    took: 2,
    timed_out: query === 'sim:timeout',
    _shards: { total: 3, successful: isBroken ? 2 : 3, skipped: 0, failed: isBroken ? 1 : 0 },
    hits: { total: { value: hits.length, relation: 'eq' }, max_score: hits[0]?._score ?? null, hits },
  });
}

const smallWeb = (query: string): { document: Stored; score: number }[] =>
  pagesAbout(query, 35).map(({ url, title, snippet, date }, at) => ({
    document: {
      url,
      title,
      content: snippet,
      domains: hostsOf(url),
      ...(date === undefined ? {} : { published_date: date }),
    },
    score: 12 / (at + 1),
  }));

const hostsOf = (url: string): string[] => {
  const labels = new URL(url).hostname.replace(/^www\./, '').split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
};

/**
 * Words, and pairs of characters for scripts without spaces, as the two analyzers of the mapping produce
 * them.
 */
function termsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{Script=Latin}\p{N}]+/gu) ?? [];
  const runs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu) ?? [];
  const pairs = runs.flatMap((run) =>
    [...run].slice(1).map((character, at) => `${[...run][at]}${character}`),
  );
  return new Set([...words, ...pairs]);
}

function matching(index: Map<string, Stored>, query: string): { document: Stored; score: number }[] {
  const terms = [...termsOf(query)];
  return [...index.values()]
    .map((document) => {
      const [title, content] = [termsOf(document.title), termsOf(document.content)];
      const score = terms.reduce(
        (sum, term) => sum + (title.has(term) ? 3 : 0) + (content.has(term) ? 1 : 0),
        0,
      );
      return { document, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

function isAllowed({ domains, published_date: date = '' }: Stored, { query }: Asked): boolean {
  const within = (wanted: string[]) => domains.some((domain) => wanted.includes(domain));
  const { filter = [], must_not: unwanted = [] } = query.bool;
  if (unwanted.some(({ terms }) => within(terms.domains))) return false;
  return filter.every(({ terms, range }) => {
    if (terms !== undefined && !within(terms.domains)) return false;
    const { gte = '', lte = '9999' } = range?.published_date ?? {};
    return range === undefined || (date !== '' && date >= gte && date.slice(0, lte.length) <= lte);
  });
}
