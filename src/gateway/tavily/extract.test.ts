import { expect, test } from 'vitest';
import { extractWire } from './extract.ts';

test('what a page says about itself is answered after Tavily’s own fields, and what it does not say is absent', () => {
  const hit = {
    url: 'https://mill.example/',
    title: 'The mill',
    raw_content: 'It stands.',
    images: [],
    byline: 'Ann Lee, Bo Sun',
    published_date: '2026-03-01T10:00:00+02:00',
    site_name: 'Valley News',
    outcome: 'ok',
    truncated: false,
    provider: 'headgate',
    trust: 'untrusted_web',
  };
  const output = { results: [hit], failed_results: [], warnings: [], response_time: 0.1 };
  const { results } = extractWire.encode(output as never, {}) as { results: object[] };
  expect(results).toEqual([hit]);
  expect(Object.keys(results[0] ?? {}).slice(0, 5)).toEqual([
    'url',
    'title',
    'raw_content',
    'images',
    'byline',
  ]);
});
