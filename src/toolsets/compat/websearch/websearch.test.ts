import { own } from '../../../core/own-text.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AnswerOutput } from '../../../contract/answer.ts';
import type { SearchHit, SearchOutput } from '../../../contract/search.ts';
import { toInputSchema } from '../../input-schema.ts';
import { renderAnswer } from '../../render-answer.ts';
import { renderResultList, websearch } from './websearch.ts';

const account = {
  outcome: 'ok' as const,
  attempts: [],
  warnings: [],
  cached: false,
  response_time: 0.1,
  request_id: 'r',
};
const hit = (title: string, url: string, content: string): SearchHit => ({
  title,
  url,
  content,
  score: 1,
  raw_content: null,
  provider: 'duckduckgo',
  trust: 'untrusted_web',
});
const found = (query: string, results: SearchHit[], more: Partial<SearchOutput> = {}): SearchOutput => ({
  query,
  answer: null,
  images: [],
  results,
  credits: 0,
  ...account,
  ...more,
});
const answered = (query: string, more: Partial<AnswerOutput> = {}): AnswerOutput => ({
  query,
  heading: '',
  facts: [],
  related: [],
  results: [],
  ...account,
  ...more,
});

describe('websearch spec 1: web_search', () => {
  test('prints heading, numbered results with rules after each, and the source', () => {
    const text = renderResultList(
      found('tide tables', [
        hit('Harbour Office', 'https://harbour.example/', 'High and low water for the week.'),
        hit('Tides - Almanac', 'https://almanac.example/tides_(sea)', 'How tides are computed...'),
      ]),
    );
    expect(text).toBe(
      `## Web Search Results for "tide tables"

### 1. Harbour Office
**URL:** https://harbour.example/
High and low water for the week.

---

### 2. Tides - Almanac
**URL:** https://almanac.example/tides_(sea)
How tides are computed...

---

_Source: DuckDuckGo (2 results)_`,
    );
  });

  test('says so when there is nothing', () => {
    expect(renderResultList(found('qqq', []))).toBe(
      '## Web Search Results for "qqq"\n\nNo results found.\n\n_Source: DuckDuckGo_',
    );
  });

  test('names the provider that really answered', () => {
    const text = renderResultList(
      found('q', [{ ...hit('T', 'https://a.example/', 's'), provider: 'somebody' }]),
    );
    expect(text).toContain('_Source: somebody (1 results)_');
  });

  test('shows warnings instead of changing the call in silence', () => {
    expect(renderResultList(found('q', [], { warnings: [own`The query was condensed.`] }))).toContain(
      '> Note: The query was condensed.',
    );
  });

  test.each([
    ['a title with line breaks', { title: 'One\n## Two\n---' }, '### 1. One ## Two ---\n'],
    ['a snippet that starts a heading', { content: '# Ignore this' }, '\n\\# Ignore this\n'],
    ['a snippet that is a rule', { content: '---' }, '\n\\---\n\n---'],
    [
      'a URL with a line break',
      { url: 'https://a.example/\n### 9. Fake' },
      '**URL:** https://a.example/%20###%209.%20Fake\n',
    ],
    ['invisible characters', { title: 'a\u202Eb\u{E0041}c' }, '### 1. abc\n'],
  ])('keeps its structure around %s', (_name, change, expected) => {
    expect(renderResultList(found('q', [{ ...hit('T', 'https://a.example/', 's'), ...change }]))).toContain(
      expected,
    );
  });
});

describe('websearch spec 2: instant_answer', () => {
  test('prints abstract, source and related topics', () => {
    const text = renderAnswer(
      answered('Tide', {
        abstract: {
          text: 'Tides are the rise and fall\nof sea levels.',
          source: 'Almanac',
          url: 'https://almanac.example/tide',
        },
        related: [
          { title: 'Neap tide', text: 'The smallest range', url: 'https://a.example/n' },
          { title: 'Bore', text: '', url: 'https://a.example/b' },
        ],
      }),
    );
    expect(text).toBe(
      `## Instant Answer for "Tide"

### Abstract
Tides are the rise and fall
of sea levels.

**Source:** Almanac
**URL:** https://almanac.example/tide

### Related Topics
- **Neap tide** - The smallest range
- **Bore**

_Source: DuckDuckGo Instant Answer API_`,
    );
  });

  test('prints answer, definition and facts when there are any (websearch spec 2.2)', () => {
    const text = renderAnswer(
      answered('q', {
        answer: '42',
        definition: { text: 'A number.', source: 'Dictionary', url: 'https://d.example/' },
        facts: [{ label: 'Born', value: '1815' }],
      }),
    );
    expect(text).toContain('### Answer\n42');
    expect(text).toContain('### Definition\nA number.\n\n**Source:** Dictionary');
    expect(text).toContain('### Facts\n- **Born:** 1815');
  });

  test('says so only when there is nothing at all', () => {
    expect(renderAnswer(answered('qqq'))).toBe(
      '## Instant Answer for "qqq"\n\nNo instant answer available for this query.\n\n_Source: DuckDuckGo Instant Answer API_',
    );
  });
});

describe('websearch spec 3.1: tools/list', () => {
  const listed = websearch.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: toInputSchema(tool.input),
  }));

  test('has the two tools with their schemas', () => {
    expect(listed.map((tool) => tool.name)).toEqual(['web_search', 'instant_answer']);
    expect(listed[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', description: '検索キーワード' },
        max_results: {
          type: 'integer',
          description: '返却する検索結果の最大数（デフォルト: 10）',
          default: 10,
          minimum: 1,
          maximum: 30,
        },
      },
      required: ['query'],
    });
    expect(listed[1]?.inputSchema).toEqual({
      type: 'object',
      properties: { query: { type: 'string', description: '検索キーワード' } },
      required: ['query'],
    });
  });

  test('equals the JSON block of the spec', () => {
    const spec = readFileSync(join(import.meta.dirname, '../../../../docs/specs/websearch.md'), 'utf8');
    expect(JSON.parse(/```json\n([\s\S]*?)```/.exec(spec)?.[1] ?? '{}')).toEqual({ tools: listed });
  });
});
