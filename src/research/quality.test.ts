import { describe, expect, test } from 'vitest';
import { qualityOf } from './quality.ts';

describe('qualityOf', () => {
  test.each([
    'https://www.gov.uk/guidance',
    'https://www.mhlw.go.jp/stf/',
    'https://www.kantei.go.jp/',
    'https://www.legifrance.gouv.fr/',
    'https://www.gob.mx/',
    'https://www.usa.gov/',
    'https://data.gov.au/',
  ])('%s is a government', (url) => {
    expect(qualityOf(url, 'general')).toBe('high');
    expect(qualityOf(url, 'academic')).toBe('high');
  });

  test.each(['https://abc.go.com/', 'https://gov.example.com/', 'https://www.gov.uk.example.com/'])(
    '%s is none',
    (url) => expect(qualityOf(url, 'general')).toBe('medium'),
  );

  test.each([
    ['https://arxiv.org/abs/1', 'academic', 'high'],
    ['https://arxiv.org/abs/1', 'technical', 'medium'],
    ['https://www.cs.uni.edu/x', 'academic', 'high'],
    ['https://www.gov.uk/x', 'general', 'high'],
    ['https://data.gov.uk/x', 'general', 'high'],
    ['https://docs.example.com/x', 'technical', 'high'],
    ['https://notdocs.example.com/x', 'technical', 'medium'],
    ['https://www.pinterest.co.uk/x', 'general', 'low'],
    ['https://medium.com/x', 'academic', 'low'],
    ['https://medium.com/x', 'general', 'medium'],
  ] as const)('%s in %s research is %s', (url, mode, expected) => {
    expect(qualityOf(url, mode)).toBe(expected);
  });
});
