import { afterAll, describe, expect, test } from 'vitest';
import { isoDate, makeSource, rankScore, webUrl } from './make-source.ts';
import { coveringRange, isOn, narrow, withSites } from './narrow.ts';

// Far from UTC, so that a date read as local time is a day off.
const zone = process.env['TZ'];
process.env['TZ'] = 'Pacific/Auckland';
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe('dates', () => {
  test.each([
    ['2025-08-07T00:00:00.0000000', '2025-08-07T00:00:00.000Z'],
    ['2025-08-07 10:20', '2025-08-07T10:20:00.000Z'],
    ['2025-08-07', '2025-08-07T00:00:00.000Z'],
    ['2025-08-07T00:00:00+02:00', '2025-08-06T22:00:00.000Z'],
    ['Tue, 11 Mar 2025 17:00:00 GMT', '2025-03-11T17:00:00.000Z'],
    ['Mar 1, 2025', '2025-03-01T00:00:00.000Z'],
    ['Wed, 12 Mar 2025 02:00:00 +0900', '2025-03-11T17:00:00.000Z'],
    ['2 days ago', undefined],
    ['', undefined],
    ['yesterday', undefined],
  ])('%j are %s in UTC', (text, expected) => expect(isoDate(text)).toBe(expected));
});

describe('sources', () => {
  test('have a title even when the provider gave none, and a score within 0–1', () => {
    const source = makeSource({ provider: 'x', url: 'https://www.a.example/b', title: ' ', score: 7 });
    expect(source).toEqual({
      url: 'https://www.a.example/b',
      title: 'a.example',
      snippet: '',
      score: 1,
      provider: 'x',
      trust: 'untrusted_web',
    });
    expect(makeSource({ provider: 'x', url: 'https://a.example/', score: Number.NaN })?.score).toBe(0);
  });

  test('are only made of web pages of bearable length', () => {
    for (const url of ['ftp://a.example/', 'nonsense', '', `https://a.example/${'x'.repeat(3_000)}`]) {
      expect(makeSource({ provider: 'x', url, score: 1 })).toBeUndefined();
    }
    expect(webUrl(' HTTPS://A.example ')).toBe('https://a.example/');
  });

  test('show where a long text was cut', () => {
    const source = makeSource({ provider: 'x', url: 'https://a.example', title: 'y'.repeat(600), score: 1 });
    expect(source?.title).toHaveLength(500);
    expect(source?.title.endsWith('…')).toBe(true);
  });

  test('rank scores fall and stay above zero', () => {
    expect([0, 10, 30].map(rankScore)).toEqual([1, 0.5, 0.25]);
  });
});

describe('domain lists', () => {
  test.each([
    ['https://example.com/', 'example.com', true],
    ['https://www.example.com/a', 'https://www.example.com/', true],
    ['https://sub.example.com/a', 'Example.com', true],
    ['https://notexample.com/', 'example.com', false],
    ['https://linkedin.com/in/someone', 'linkedin.com/in', true],
    ['https://linkedin.com/in', 'linkedin.com/in', true],
    ['https://linkedin.com/insurance', 'linkedin.com/in', false],
    ['https://mit.edu/', '*.edu', true],
    ['https://education.example/', '*.edu', false],
  ])('%s is on %s: %s', (url, entry, expected) => expect(isOn(url, entry)).toBe(expected));

  test('become site operators when they fit', () => {
    const query = {
      text: 'q',
      resultsMax: 5,
      includeDomains: ['a.example'],
      excludeDomains: ['*.b.example'],
    };
    expect(withSites('q', query, () => true)).toBe('q site:a.example -site:b.example');
    expect(withSites('q', query, () => false)).toBe('q');
  });

  test('with mode prefer drop nothing', () => {
    const source = makeSource({ provider: 'x', url: 'https://c.example/', score: 1 });
    const query = { text: 'q', resultsMax: 5, includeDomains: ['a.example'] };
    expect(narrow(source === undefined ? [] : [source], query)).toEqual([]);
    expect(narrow(source === undefined ? [] : [source], { ...query, includeDomainsMode: 'prefer' })).toEqual([
      source,
    ]);
  });
});

describe('ranges up to now', () => {
  test.each([
    [{ timeRange: 'year', startDate: '2026-01-30' }, 'year'],
    [{ startDate: '2026-01-30' }, 'day'],
    [{ startDate: '2026-01-25' }, 'week'],
    [{ startDate: '2026-01-10' }, 'month'],
    [{ startDate: '2025-06-01', endDate: '2025-07-01' }, 'year'],
    [{ startDate: '2020-01-01' }, undefined],
    [{ endDate: '2026-01-01' }, undefined],
  ] as const)('%j on 2026-01-31 is covered by %s', (dates, expected) => {
    expect(coveringRange({ text: 'q', resultsMax: 5, today: '2026-01-31', ...dates })).toBe(expected);
  });
});
