import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HeadgateError } from '../../src/core/errors.ts';
import { regionFor } from '../../src/providers/duckduckgo/regions.ts';
import { duckduckgo } from '../../src/providers/duckduckgo/duckduckgo.ts';
import { instantAnswer } from '../../src/providers/duckduckgo/instant-answer.ts';
import { sharedPath } from '../support/shared.ts';

const folder = sharedPath('fixtures/ddg');
const settings = duckduckgo.settings().parse({});
const read = (name: string) => readFileSync(join(folder ?? '', name), 'utf8');

/** What each recorded page of DuckDuckGo must become: results and the way on, empty, or blocked. */
const PAGES: Record<
  string,
  { status?: number; found?: number; results?: number; next?: boolean; outcome: string }
> = {
  'anomaly_202_html_fragment_2026-08.html': { status: 202, outcome: 'upstream_blocked' },
  'anomaly_202_lite_2026-07.html': { status: 202, outcome: 'upstream_blocked' },
  'html_ad_and_organic_shape_2026-10.html': { results: 1, outcome: 'ok' },
  'html_eino_lastpage_2025.html': { found: 10, outcome: 'empty' },
  'html_eino_page1_2025.html': { results: 10, next: true, outcome: 'ok' },
  'html_noresults_2025.html': { outcome: 'empty' },
  'html_noresults_firstpage_2026-10.html': { outcome: 'empty' },
  'html_uddg_fragment_GET_2026-08.html': { results: 2, outcome: 'ok' },
  'lite_ad_rows_shape_2026-10.html': { results: 1, outcome: 'ok' },
  'lite_weather_sf_page1_2026-01.html': { results: 10, next: true, outcome: 'ok' },
  'refusal_403_fragment_2026-08.html': { status: 403, outcome: 'upstream_blocked' },
};

describe.skipIf(folder === undefined)('recorded DuckDuckGo pages', () => {
  const files = folder === undefined ? [] : readdirSync(folder);

  test('are all accounted for', () => {
    expect(files.filter((name) => name.endsWith('.html'))).toEqual(Object.keys(PAGES).toSorted());
  });

  test.each(Object.entries(PAGES))('%s', (name, expected) => {
    const response = { status: expected.status ?? 200, headers: {}, body: read(name), url: '' };
    const query = { text: 'eino', resultsMax: 30 };
    let outcome: string;
    let sources: { url: string; title: string; snippet: string }[] = [];
    let next = false;
    try {
      if (response.status >= 300) throw duckduckgo.fail(response);
      const page = duckduckgo.search?.parse(response, query, settings, expected.found ?? 0);
      outcome = page?.outcome ?? '';
      sources = page?.sources ?? [];
      next = page?.next?.body?.includes('vqd=4-') ?? false;
    } catch (thrown) {
      outcome = HeadgateError.from(thrown).code;
    }
    expect({ outcome, results: sources.length, next }).toEqual({
      outcome: expected.outcome,
      results: expected.results ?? 0,
      next: expected.next ?? false,
    });
    for (const source of sources) {
      expect(source.url).toMatch(/^https?:\/\/(?!duckduckgo\.com)/);
      expect(source.title).not.toBe('');
      expect(source.snippet).not.toBe('');
    }
  });

  test.each([
    ['ia_article_rust_2023_shortened.json', 'article'],
    ['ia_disambiguation_SYNTHETIC.json', 'disambiguation'],
    ['ia_empty_2026-09.json', undefined],
  ])('%s is %s', (name, type) => {
    const response = { status: 200, headers: {}, body: read(name), url: '' };
    expect(instantAnswer.parse(response)?.type).toBe(type);
  });

  test('offer every region that our table names', () => {
    const offered = Object.keys(JSON.parse(read('regions_kl.json')) as Record<string, string>).filter(
      Boolean,
    );
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    const ours = new Set(
      codes.flatMap((country) => [
        regionFor(undefined, country).code,
        ...codes.map((language) => regionFor(country, language).code),
      ]),
    );
    ours.delete(undefined);
    expect(ours).toEqual(new Set(offered));
  });
});
