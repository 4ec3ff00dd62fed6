import { describe, expect, test } from 'vitest';
import {
  fakeEngine,
  found,
  hit,
  page,
  read,
  run,
  type FakeEngine,
} from '../../../../tests/support/tools/fake-engine.ts';
import { EXTRACT_CODES, type ExtractCode } from '../../../contract/extract.ts';
import { HeadgateError, type FailureCode } from '../../../core/errors.ts';
import { toInputSchema } from '../../input-schema.ts';
import { researchToolset } from './research.ts';
import type { Envelope } from './response-v2.ts';

type Called = Envelope & { isError: boolean };

async function call(input: unknown, engine: FakeEngine = fakeEngine()): Promise<Called> {
  const { text, isError } = await run(researchToolset, 'research', input, engine);
  return { ...(JSON.parse(text) as Envelope), isError: isError === true };
}
const extract = (input: Record<string, unknown>, engine?: FakeEngine) =>
  call({ action: 'extract', ...input }, engine);
const search = (input: Record<string, unknown>, engine?: FakeEngine) =>
  call({ action: 'search', ...input }, engine);
const ACTIONS =
  'extract, search, deep-research, deep-research-status, deep-research-report, deep-research-list, deep-research-cancel, deep-research-delete, verify-quote';
const meta = { version: 'response-v2', request_id: 'req-1' };
const A = 'https://a.example/1';
const B = 'https://b.example/2';
const failed = (code: ExtractCode, url = B) => ({ url, error: `It was ${code}.`, code });

describe('research spec 1: the action', () => {
  test.each(['extract', 'EXTRACT', ' Extract '])('%j is extract', async (action) => {
    expect((await call({ action, urls: [A] }, fakeEngine({ extract: read([page()]) }))).success).toBe(true);
  });

  test.each([['fly'], [''], [undefined], [7]])(
    '%j is a VALIDATION_ERROR that lists the allowed ones',
    async (action) => {
      expect(await call({ action })).toEqual({
        success: false,
        data: {
          error_code: 'VALIDATION_ERROR',
          error_type: 'validation',
          remediation: `Use one of: ${ACTIONS}`,
          details: {
            action: typeof action === 'string' ? action : '',
            allowed_actions: ACTIONS.split(', '),
          },
        },
        error: `Unsupported research action '${typeof action === 'string' ? action : ''}'. Allowed: ${ACTIONS}`,
        meta,
        isError: true,
      });
    },
  );

  test('whatever breaks inside is an INTERNAL_ERROR envelope that tells nothing about the inside', async () => {
    const answer = await search({ query: 'q' }, fakeEngine({ search: new TypeError('secret path') }));
    expect(answer).toMatchObject({
      success: false,
      data: { error_code: 'INTERNAL_ERROR', error_type: 'internal' },
    });
    expect(JSON.stringify(answer)).not.toContain('secret path');
  });

  test('every parameter of every action is in the schema (research spec 1.4)', () => {
    const schema = toInputSchema(researchToolset.tools[0]?.input as never);
    expect(schema.required).toEqual(['action']);
    expect(Object.keys(schema.properties)).toEqual([
      'action',
      'urls',
      'extract_depth',
      'include_images',
      'format',
      'query',
      'chunks_per_source',
      'max_results',
      'search_depth',
      'topic',
      'days',
      'include_answer',
      'include_raw_content',
      'include_favicon',
      'include_domains',
      'exclude_domains',
      'country',
      'auto_parameters',
      'deep_research_action',
      'research_id',
      'research_mode',
      'max_iterations',
      'max_sub_queries',
      'max_sources_per_query',
      'max_concurrent',
      'follow_links',
      'task_timeout',
      'max_credits',
      'limit',
      'cursor',
      'quote',
      'url',
      'source_id',
    ]);
    expect(schema.properties['action']).toEqual({ type: 'string', enum: ACTIONS.split(', ') });
  });
});

describe('research spec 3.1: arguments of extract', () => {
  const engine = () => fakeEngine({ extract: read([page()]) });

  test('the defaults: markdown, no query, depth left to the configuration', async () => {
    const asked = engine();
    await extract({ urls: [A] }, asked);
    expect(asked.asked[0]?.input).toEqual({ urls: [A], format: 'markdown', include_favicon: true });
  });

  test('chunks_per_source goes with a query, 3 by default', async () => {
    const asked = engine();
    await extract({ urls: [A], query: 'tides' }, asked);
    await extract({ urls: [A], query: 'tides', chunks_per_source: 5 }, asked);
    expect(asked.asked.map(({ input }) => input['chunks_per_source'])).toEqual([3, 5]);
  });

  test.each([
    ['urls: one text', { urls: A }, { urls: [A] }],
    ['urls: ten', { urls: Array.from({ length: 10 }, (_, i) => `${A}${i}`) }, {}],
    [
      'urls: eleven of which two are one',
      { urls: [...Array.from({ length: 10 }, (_, i) => `${A}${i}`), `${A}0`] },
      {},
    ],
    ['extract_depth: basic', { urls: [A], extract_depth: 'basic' }, { extract_depth: 'basic' }],
    ['extract_depth: advanced', { urls: [A], extract_depth: 'ADVANCED' }, { extract_depth: 'advanced' }],
    ['include_images: true', { urls: [A], include_images: true }, { include_images: true }],
    ['include_images: false', { urls: [A], include_images: false }, { include_images: false }],
    ['format: markdown', { urls: [A], format: 'markdown' }, { format: 'markdown' }],
    ['format: text', { urls: [A], format: 'text' }, { format: 'text' }],
    ['query: 400 characters', { urls: [A], query: 'x'.repeat(400) }, { query: 'x'.repeat(400) }],
    ['chunks_per_source: 1', { urls: [A], query: 'q', chunks_per_source: 1 }, { chunks_per_source: 1 }],
    ['chunks_per_source: 5', { urls: [A], query: 'q', chunks_per_source: 5 }, { chunks_per_source: 5 }],
  ])('row %s', async (_row, input, expected) => {
    const asked = engine();
    expect((await extract(input, asked)).success).toBe(true);
    expect(asked.asked[0]?.input).toMatchObject(expected);
  });

  test.each([
    ['urls: missing', {}, 'urls', 'is missing.'],
    ['urls: empty', { urls: [] }, 'urls', 'at least one URL is required.'],
    [
      'urls: eleven',
      { urls: Array.from({ length: 11 }, (_, i) => `${A}${i}`) },
      'urls',
      'Too many URLs: 11. Maximum is 10.',
    ],
    ['urls: a number', { urls: 5 }, 'urls', 'must be an array.'],
    [
      'extract_depth: another word',
      { urls: [A], extract_depth: 'deep' },
      'extract_depth',
      'must be one of basic, advanced.',
    ],
    ['include_images: a number', { urls: [A], include_images: 1 }, 'include_images', 'must be a boolean.'],
    ['format: html', { urls: [A], format: 'html' }, 'format', 'must be one of markdown, text.'],
    [
      'query: 401 characters',
      { urls: [A], query: 'x'.repeat(401) },
      'query',
      'at most 400 characters. Shorten it.',
    ],
    [
      'chunks_per_source: 0',
      { urls: [A], chunks_per_source: 0 },
      'chunks_per_source',
      'at least 1. Ask for 1 or more.',
    ],
    [
      'chunks_per_source: 6',
      { urls: [A], chunks_per_source: 6 },
      'chunks_per_source',
      'at most 5. Ask for 5 or fewer.',
    ],
    [
      'chunks_per_source: true',
      { urls: [A], chunks_per_source: true },
      'chunks_per_source',
      'must be a whole number.',
    ],
  ])('row %s is a VALIDATION_ERROR that names the field', async (_row, input, field, message) => {
    const asked = engine();
    expect(await extract(input, asked)).toMatchObject({
      success: false,
      error: `Invalid field '${field}' for research.extract: ${message}`,
      data: {
        error_code: 'VALIDATION_ERROR',
        error_type: 'validation',
        details: { field, action: 'research.extract' },
      },
      meta,
    });
    expect(asked.asked).toEqual([]);
  });
});

describe('research spec 3: results of extract', () => {
  test('research spec 3.2: all URLs were read', async () => {
    const pages = [
      page({
        url: A,
        title: 'One',
        raw_content: 'alpha',
        images: ['https://a.example/i.png'],
        favicon: 'https://a.example/f.ico',
      }),
      page({ url: B, title: '', raw_content: 'beta [...] gamma' }),
    ];
    expect(await extract({ urls: [A, B], query: 'letters' }, fakeEngine({ extract: read(pages) }))).toEqual({
      success: true,
      data: {
        action: 'extract',
        sources: [
          {
            url: A,
            title: 'One',
            source_type: 'web',
            snippet: 'alpha',
            content: 'alpha',
            metadata: {
              extract_depth: 'basic',
              chunk_count: 1,
              format: 'markdown',
              images: ['https://a.example/i.png'],
              favicon: 'https://a.example/f.ico',
              truncated: false,
            },
          },
          {
            url: B,
            title: 'b.example',
            source_type: 'web',
            snippet: 'beta',
            content: 'beta\n\ngamma',
            metadata: {
              extract_depth: 'basic',
              chunk_count: 2,
              format: 'markdown',
              images: null,
              favicon: null,
              truncated: false,
            },
          },
        ],
        stats: { requested: 2, succeeded: 2, failed: 0, total_chunks: 3 },
      },
      error: null,
      meta,
      isError: false,
    });
  });

  test('research spec 3.3: some URLs failed', async () => {
    const engine = fakeEngine({
      extract: read([page({ url: A })], { failed_results: [failed('TIMEOUT')], outcome: 'partial' }),
    });
    const answer = await extract({ urls: [A, B, 'ftp://c.example/'] }, engine);
    expect(answer).toMatchObject({
      success: true,
      error: null,
      isError: false,
      data: {
        stats: { requested: 3, succeeded: 1, failed: 2, total_chunks: 1 },
        failed_urls: [
          {
            url: 'ftp://c.example/',
            error_code: 'INVALID_URL',
            error: 'Invalid scheme. Only http/https allowed.',
          },
          { url: B, error_code: 'TIMEOUT', error: 'It was TIMEOUT.' },
        ],
      },
      meta: { ...meta, warnings: ['Failed to extract 2 of 3 URLs'] },
    });
    expect(engine.asked[0]?.input['urls']).toEqual([A, B]);
  });

  test('research spec 3.4: all URLs are invalid, and no provider is called', async () => {
    const engine = fakeEngine();
    const long = `https://a.example/${'x'.repeat(2_048)}`;
    expect(await extract({ urls: ['javascript:1', 'https:///x', long] }, engine)).toEqual({
      success: false,
      data: {
        error_code: 'EXTRACT_FAILED',
        error_type: 'validation',
        remediation: 'Check URLs are valid public HTTP(S) addresses',
        details: {
          failed_urls: [
            {
              url: 'javascript:1',
              error_code: 'INVALID_URL',
              error: 'Invalid scheme. Only http/https allowed.',
            },
            { url: 'https:///x', error_code: 'INVALID_URL', error: 'The URL has no host.' },
            { url: long, error_code: 'INVALID_URL', error: 'URL too long (max 2048 characters).' },
          ],
        },
      },
      error: 'Extract failed: all URLs blocked or invalid',
      meta,
      isError: true,
    });
    expect(engine.asked).toEqual([]);
  });

  const SPEC_CODES: Record<ExtractCode, [code: string, total: string, type: string]> = {
    INVALID_URL: ['INVALID_URL', 'EXTRACT_FAILED', 'validation'],
    BLOCKED_HOST: ['BLOCKED_HOST', 'EXTRACT_FAILED', 'validation'],
    PAYLOAD_TOO_LARGE: ['PAYLOAD_TOO_LARGE', 'EXTRACT_FAILED', 'validation'],
    TIMEOUT: ['TIMEOUT', 'TIMEOUT', 'unavailable'],
    RATE_LIMITED: ['RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'rate_limit'],
    UNAUTHORIZED: ['UNAUTHORIZED', 'UNAUTHORIZED', 'authentication'],
    QUOTA_EXCEEDED: ['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED', 'quota'],
    UNAVAILABLE: ['UNAVAILABLE', 'UNAVAILABLE', 'unavailable'],
    BAD_ANSWER: ['UNAVAILABLE', 'UNAVAILABLE', 'unavailable'],
    EXTRACT_FAILED: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
    NOT_FOUND: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
    ACCESS_DENIED: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
    UNSUPPORTED_TYPE: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
    NETWORK_ERROR: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
    NEEDS_APPROVAL: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
    PAYMENT_REQUIRED: ['EXTRACT_FAILED', 'EXTRACT_FAILED', 'internal'],
  };
  test.each(EXTRACT_CODES)('error code %s: for one URL, and for all of them', async (code) => {
    const [one, total, type] = SPEC_CODES[code];
    const partly = await extract(
      { urls: [A, B] },
      fakeEngine({ extract: read([page({ url: A })], { failed_results: [failed(code)] }) }),
    );
    expect(partly.data['failed_urls']).toEqual([{ url: B, error_code: one, error: `It was ${code}.` }]);
    const wholly = await extract(
      { urls: [B] },
      fakeEngine({ extract: read([], { failed_results: [failed(code)] }) }),
    );
    expect(wholly).toMatchObject({
      success: false,
      isError: true,
      data: { error_code: total, error_type: type },
    });
  });

  test('several causes that differ are EXTRACT_FAILED, internal', async () => {
    const failed_results = [failed('TIMEOUT', A), failed('BLOCKED_HOST')];
    expect(
      await extract({ urls: [A, B] }, fakeEngine({ extract: read([], { failed_results }) })),
    ).toMatchObject({
      data: { error_code: 'EXTRACT_FAILED', error_type: 'internal' },
    });
  });

  test.each<[FailureCode, string, string]>([
    ['upstream_rate_limit', 'RATE_LIMIT_EXCEEDED', 'rate_limit'],
    ['limit_reached', 'QUOTA_EXCEEDED', 'quota'],
    ['upstream_timeout', 'TIMEOUT', 'unavailable'],
    ['upstream_authentication', 'UNAUTHORIZED', 'authentication'],
    ['not_configured', 'UNAUTHORIZED', 'authentication'],
    ['upstream_unavailable', 'UNAVAILABLE', 'unavailable'],
    ['upstream_blocked', 'UNAVAILABLE', 'unavailable'],
    ['internal', 'INTERNAL_ERROR', 'internal'],
  ])('a call that fails as a whole with %s is %s', async (code, error_code, error_type) => {
    const error = new HeadgateError(code, 'It broke.', { remediation: 'Wait.', retryAfterMs: 1_500 });
    expect(await extract({ urls: [A] }, fakeEngine({ extract: error }))).toEqual({
      success: false,
      data: { error_code, error_type, remediation: 'Wait.', retry_after_seconds: 2 },
      error: 'It broke.',
      meta: { ...meta, rate_limit: { retry_after: 2 } },
      isError: true,
    });
  });
});

describe('research spec 4: sources', () => {
  const sources = async (change: Parameters<typeof page>[0]) => {
    const answer = await extract({ urls: [A] }, fakeEngine({ extract: read([page({ url: A, ...change })]) }));
    return (
      answer.data['sources'] as {
        title: string;
        snippet: string;
        content: string;
        metadata: Record<string, unknown>;
      }[]
    )[0];
  };

  test('title: at most 500 characters, cut with three dots; the domain when there is none', async () => {
    expect((await sources({ title: 'x'.repeat(500) }))?.title).toBe('x'.repeat(500));
    expect((await sources({ title: 'x'.repeat(501) }))?.title).toBe(`${'x'.repeat(497)}...`);
    expect((await sources({ title: ' ' }))?.title).toBe('a.example');
  });

  test('snippet: the first 500 characters of the first chunk', async () => {
    const chunks = [
      { text: 'y'.repeat(600), start: 0, end: 600 },
      { text: 'z', start: 700, end: 701 },
    ];
    const source = await sources({ chunks });
    expect(source?.snippet).toBe('y'.repeat(500));
    expect(source?.content).toBe(`${'y'.repeat(600)}\n\nz`);
    expect(source?.metadata['chunk_count']).toBe(2);
  });

  test('content: at most 50,000 characters, never half of one, and truncated says so', async () => {
    expect((await sources({ raw_content: 'x'.repeat(50_000) }))?.metadata['truncated']).toBe(false);
    const cut = await sources({ raw_content: `${'x'.repeat(49_999)}😀 and more` });
    expect(cut?.content).toBe('x'.repeat(49_999));
    expect(cut?.metadata['truncated']).toBe(true);
    expect((await sources({ truncated: true }))?.metadata['truncated']).toBe(true);
  });

  test('images: at most 10, or null', async () => {
    const images = Array.from({ length: 12 }, (_, index) => `https://a.example/${index}.png`);
    expect((await sources({ images }))?.metadata['images']).toEqual(images.slice(0, 10));
    expect((await sources({ images: [] }))?.metadata['images']).toBeNull();
  });

  test('a page without content has no chunks', async () => {
    expect(await sources({ raw_content: ' ' })).toMatchObject({
      snippet: '',
      content: '',
      metadata: { chunk_count: 0 },
    });
  });

  test('of a search result', async () => {
    const result = hit({ title: '', raw_content: 'whole page', published_date: '2026-01-02', score: 0.5 });
    const answer = await search(
      { query: 'q' },
      fakeEngine({ search: found([result], { answer: 'Six.', query: 'q' }) }),
    );
    expect(answer).toEqual({
      success: true,
      data: {
        action: 'search',
        query: 'q',
        answer: 'Six.',
        sources: [
          {
            url: 'https://harbour.example/tides',
            title: 'Untitled',
            source_type: 'web',
            snippet: 'High and low water for the week.',
            content: 'whole page',
            metadata: {
              tavily_score: 0.5,
              score: 0.5,
              published_date: '2026-01-02',
              source: 'harbour.example',
              provider: 'tavily',
              truncated: false,
            },
          },
        ],
        stats: { requested: 10, succeeded: 1 },
      },
      error: null,
      meta,
      isError: false,
    });
  });
});

describe('research spec 5: search', () => {
  test('nothing found is a success', async () => {
    expect(
      await search({ query: 'q' }, fakeEngine({ search: found([], { outcome: 'empty' }) })),
    ).toMatchObject({
      success: true,
      data: { sources: [] },
    });
  });

  test('configuration and mode fill in what nobody set', async () => {
    const engine = fakeEngine({ search: found([]) });
    engine.searchParameters = (explicit) => ({ search_depth: 'advanced', topic: 'news', ...explicit });
    await search({ query: 'q', topic: 'general' }, engine);
    expect(engine.asked[0]?.input).toMatchObject({
      search_depth: 'advanced',
      topic: 'general',
      max_results: 10,
    });
  });

  test.each([
    ['query: 400 characters', { query: 'x'.repeat(400) }],
    ['max_results: 20', { query: 'q', max_results: 20 }],
    ['max_results: 1', { query: 'q', max_results: 1 }],
    ['search_depth: basic', { query: 'q', search_depth: 'basic' }],
    ['search_depth: advanced', { query: 'q', search_depth: 'advanced' }],
    ['search_depth: fast', { query: 'q', search_depth: 'fast' }],
    ['search_depth: ultra_fast', { query: 'q', search_depth: 'ultra_fast' }],
    ['include_answer: true', { query: 'q', include_answer: true }],
    ['include_answer: false', { query: 'q', include_answer: false }],
    ['include_answer: "basic"', { query: 'q', include_answer: 'basic' }],
    ['include_answer: "advanced"', { query: 'q', include_answer: 'advanced' }],
    ['include_raw_content: true', { query: 'q', include_raw_content: true }],
    ['include_raw_content: "text"', { query: 'q', include_raw_content: 'text' }],
    ['include_raw_content: "markdown"', { query: 'q', include_raw_content: 'markdown' }],
    ['include_raw_content: false', { query: 'q', include_raw_content: false }],
    ['include_images: true', { query: 'q', include_images: true }],
    ['include_favicon: true', { query: 'q', include_favicon: true }],
    ['include_domains', { query: 'q', include_domains: ['a.example'] }],
    ['exclude_domains', { query: 'q', exclude_domains: ['a.example'] }],
    ['topic: general', { query: 'q', topic: 'general' }],
    ['topic: news', { query: 'q', topic: 'news' }],
    ['days: 1', { query: 'q', topic: 'news', days: 1 }],
    ['days: 365', { query: 'q', topic: 'news', days: 365 }],
    ['country: IT', { query: 'q', country: 'IT' }],
    ['chunks_per_source: 1', { query: 'q', chunks_per_source: 1 }],
    ['chunks_per_source: 5', { query: 'q', chunks_per_source: 5 }],
    ['auto_parameters: true', { query: 'q', auto_parameters: true }],
  ])('row %s is accepted and handed on', async (_row, input) => {
    const engine = fakeEngine({ search: found([]) });
    expect((await search(input, engine)).success).toBe(true);
    for (const name of Object.keys(input)) expect(engine.asked[0]?.input).toHaveProperty(name);
  });

  test.each([
    ['query: missing', {}, 'query'],
    ['query: 401 characters', { query: 'x'.repeat(401) }, 'query'],
    ['max_results: 0', { query: 'q', max_results: 0 }, 'max_results'],
    ['max_results: 21', { query: 'q', max_results: 21 }, 'max_results'],
    ['search_depth: another word', { query: 'q', search_depth: 'deepest' }, 'search_depth'],
    ['include_answer: another word', { query: 'q', include_answer: 'long' }, 'include_answer'],
    ['include_raw_content: html', { query: 'q', include_raw_content: 'html' }, 'include_raw_content'],
    ['topic: sports', { query: 'q', topic: 'sports' }, 'topic'],
    ['days: 0', { query: 'q', days: 0 }, 'days'],
    ['days: 366', { query: 'q', days: 366 }, 'days'],
    ['chunks_per_source: 0', { query: 'q', chunks_per_source: 0 }, 'chunks_per_source'],
    ['chunks_per_source: 6', { query: 'q', chunks_per_source: 6 }, 'chunks_per_source'],
    ['include_images: 1', { query: 'q', include_images: 1 }, 'include_images'],
    ['include_favicon: 1', { query: 'q', include_favicon: 1 }, 'include_favicon'],
    ['country: blank', { query: 'q', country: ' ' }, 'country'],
    ['auto_parameters: 1', { query: 'q', auto_parameters: 1 }, 'auto_parameters'],
    [
      'include_domains: 301',
      { query: 'q', include_domains: Array.from({ length: 301 }, (_, i) => `d${i}.example`) },
      'include_domains',
    ],
    [
      'exclude_domains: 151',
      { query: 'q', exclude_domains: Array.from({ length: 151 }, (_, i) => `d${i}.example`) },
      'exclude_domains',
    ],
  ])('row %s is a VALIDATION_ERROR that names the field', async (_row, input, field) => {
    expect(await search(input)).toMatchObject({
      success: false,
      data: { error_code: 'VALIDATION_ERROR', details: { field, action: 'research.search' } },
    });
  });

  test('who failed on the way is in the warnings', async () => {
    const attempts = [
      { provider: 'tavily', ms: 3, outcome: 'quota' as const, reason: 'plan limit' },
      { provider: 'duckduckgo', ms: 9, outcome: 'ok' as const },
    ];
    const answer = await search(
      { query: 'q' },
      fakeEngine({ search: found([hit()], { attempts, warnings: ['Condensed.'] }) }),
    );
    expect(answer.meta['warnings']).toEqual(['Condensed.', 'Did not answer: tavily: quota (plan limit).']);
  });
});
