import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countryCode } from '../../src/core/countries.ts';
import type { ExtractQuery, SearchQuery } from '../../src/core/query.ts';
import { brave } from '../../src/providers/brave.ts';
import { jina } from '../../src/providers/jina/jina.ts';
import { tavilyCountry, tavily } from '../../src/providers/tavily/tavily.ts';
import { sharedPath } from '../support/shared.ts';

const folder = sharedPath('fixtures');
const read = (path: string): string => readFileSync(join(folder ?? '', path), 'utf8');
const settings = tavily.settings().parse({});
const answer = (body: string, status = 200) => ({ status, headers: {}, body, url: 'https://x.example/' });
const search: SearchQuery = { text: 'tidal mills', resultsMax: 5 };

/** The part of JSON Schema that Tavily's document uses for requests. */
interface Schema {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Fields that are newer than the published document. */
const NEWER = [
  'include_domains_mode',
  'language',
  'filter_by_language',
  'include_published_date',
  'filter_by_published_date',
];

describe.skipIf(folder === undefined)('recorded and published answers of the APIs', () => {
  const SEARCHES: Partial<SearchQuery>[] = [
    {},
    { resultsMax: 30, chunksPerSource: 5, depth: 'ultra-fast' },
    { chunksPerSource: 5, depth: 'advanced', topic: 'news', country: 'it', timeRange: 'week' },
    { country: 'Viet Nam', startDate: '2026-01-01', endDate: '2026-02-01', timeRange: 'day' },
    { includeAnswer: 'advanced', includeRawContent: 'text', includeImages: true, includeFavicon: true },
    {
      includeDomains: ['a.example'],
      includeDomainsMode: 'prefer',
      excludeDomains: ['b.example'],
      language: 'en',
    },
    {
      autoParameters: true,
      exactMatch: true,
      safeSearch: true,
      depth: 'basic',
      includeImageDescriptions: true,
    },
    { filterByLanguage: true, language: 'de', includePublishedDate: true, filterByPublishedDate: true },
  ];

  test.each(SEARCHES)('a search body keeps to the published document: %j', (change) => {
    const request = tavily.search?.request({ ...search, ...change }, settings, 'tvly-x');
    expect(violations(JSON.parse(request?.body ?? '{}'), requestSchema('/search'))).toEqual([]);
  });

  const EXTRACTS: Partial<ExtractQuery>[] = [
    {},
    { query: 'x', chunksPerSource: 5, depth: 'advanced', format: 'text' },
    { includeImages: true, includeFavicon: true, timeoutMs: 100, chunksPerSource: 2 },
    { timeoutMs: 90_000 },
  ];

  test.each(EXTRACTS)('an extract body keeps to the published document: %j', (change) => {
    const query: ExtractQuery = { urls: ['https://a.example'], format: 'markdown', ...change };
    const request = tavily.extract?.request(query, settings, 'tvly-x');
    expect(violations(JSON.parse(request?.body ?? '{}'), requestSchema('/extract'))).toEqual([]);
  });

  test('the countries that Tavily lists are exactly those we send', () => {
    const listed = JSON.parse(read('tavily/countries.json')) as string[];
    expect(listed.map((name) => tavilyCountry(name))).toEqual(listed);
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    const sent = new Set(
      codes.filter((code) => countryCode(code) === code).map((code) => tavilyCountry(code)),
    );
    sent.delete(undefined);
    expect(sent).toEqual(new Set(listed));
  });

  const recordings = folder === undefined ? [] : readdirSync(join(folder, 'tavily'));

  test.each(recordings.filter((name) => /^(real|doc)_(post_)?search_.*200|^real_search/.test(name)))(
    '%s parses',
    (name) => {
      const raw = JSON.parse(read(`tavily/${name}`)) as { results: { url: string; score: number }[] };
      const page = tavily.search?.parse(answer(JSON.stringify(raw)), search, settings);
      expect(page?.outcome).toBe('ok');
      expect(page?.sources.map(({ score }) => score)).toEqual(raw.results.map(({ score }) => score));
      for (const source of page?.sources ?? []) {
        for (const chunk of source.chunks ?? []) {
          expect((source.content ?? source.snippet).slice(chunk.start, chunk.end)).toBe(chunk.text);
        }
      }
    },
  );

  test.each(recordings.filter((name) => /^(real_extract|doc_post_extract)/.test(name)))(
    '%s parses',
    (name) => {
      const raw = JSON.parse(read(`tavily/${name}`)) as { results: { url: string }[] };
      const urls = raw.results.map(({ url }) => url);
      const page = tavily.extract?.parse(answer(JSON.stringify(raw)), { urls, format: 'markdown' }, settings);
      expect(page?.sources.map(({ url }) => url)).toEqual(urls);
      expect(page?.failed).toEqual([]);
    },
  );

  test("the words of Tavily's documented errors are for the log, not for the caller", () => {
    const documented = JSON.parse(read('tavily/doc_errors_by_endpoint.json')) as Record<
      string,
      Record<string, { detail: { error: string } }>
    >;
    const cases = ['POST /search', 'POST /extract'].flatMap((endpoint) =>
      Object.entries(documented[endpoint] ?? {}),
    );
    expect(cases.length).toBeGreaterThan(8);
    for (const [status, body] of cases) {
      const error = tavily.fail(answer(JSON.stringify(body), Number(status)));
      expect(error.cause).toContain(body.detail.error.slice(0, 100));
      expect(error.explanation).not.toContain(body.detail.error);
    }
  });

  test.each([
    ['tavily/doc_search_422_shape.json', 422, tavily, 'upstream_invalid'],
    ['tavily/keyless_limit_envelope_shape.json', 429, tavily, 'upstream_rate_limit'],
    ['jina/error_402.json', 402, jina, 'upstream_quota'],
    ['jina/error_403_abuse_2026-09.json', 403, jina, 'upstream_blocked'],
    ['brave/error_422_bad_key.json', 422, brave, 'upstream_authentication'],
  ] as const)('%s is %s', (path, status, provider, code) => {
    expect(provider.fail(answer(read(path), status)).code).toBe(code);
  });

  test('a recorded page of the Jina reader parses', () => {
    const page = jina.extract?.parse(
      answer(read('jina/reader_json_200_2026-09_trimmed.json')),
      { urls: ['https://example.com'], format: 'markdown' },
      jina.settings().parse({}),
    );
    expect(page?.sources[0]).toMatchObject({ url: 'https://example.com/', title: 'Example Domain' });
  });
});

function requestSchema(path: string): Schema {
  const document = JSON.parse(read('tavily/openapi.json')) as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
  };
  return document.paths[path]?.post.requestBody.content['application/json']?.schema ?? {};
}

/** What in a value breaks a schema, as paths with reasons. Unknown fields count, so that a typing error cannot hide. */
function violations(value: unknown, schema: Schema, path = ''): string[] {
  if (schema.oneOf !== undefined) {
    return schema.oneOf.some((one) => violations(value, one, path).length === 0)
      ? []
      : [`${path}: none of oneOf`];
  }
  const wrong = isOf(schema.type, value) ? [] : [`${path}: not ${schema.type}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) wrong.push(`${path}: not in enum`);
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value))) {
    wrong.push(`${path}: out of range`);
  }
  if (Array.isArray(value))
    wrong.push(...value.flatMap((item) => violations(item, schema.items ?? {}, `${path}[]`)));
  else if (typeof value === 'object' && value !== null) {
    const missing = (schema.required ?? []).filter((name) => !(name in value));
    wrong.push(...missing.map((name) => `${name}: missing`));
    for (const [name, field] of Object.entries(value)) {
      const known = schema.properties?.[name];
      if (known !== undefined) wrong.push(...violations(field, known, name));
      else if (!NEWER.includes(name)) wrong.push(`${name}: unknown`);
    }
  }
  return wrong;
}

function isOf(type: string | undefined, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === undefined || typeof value === type;
}
