import { describe, expect, test } from 'vitest';
import { HeadgateError } from '../core/errors.ts';
import { parseInput } from './parse.ts';
import { searchContract } from './search.ts';

const refusal = (raw: unknown): string => {
  try {
    parseInput(searchContract.input, raw);
  } catch (thrown) {
    expect((thrown as HeadgateError).code).toBe('invalid_request');
    return (thrown as HeadgateError).message;
  }
  throw new Error('expected a refusal');
};

describe('input of search', () => {
  test.each([
    ['a missing query', {}, 'query: is missing.'],
    ['a blank query', { query: ' \n ' }, 'query: is blank. Say what to look for.'],
    ['a query that is no text', { query: 5 }, 'query: must be a string.'],
    ['control characters', { query: 'a\u0000b' }, 'query: contains control characters. Send plain text.'],
    [
      'a query of a megabyte',
      { query: 'x'.repeat(1_000_000) },
      'query: at most 1000 characters. Shorten it.',
    ],
    ['max_results 31', { query: 'q', max_results: 31 }, 'max_results: at most 30. Ask for 30 or fewer.'],
    ['max_results -1', { query: 'q', max_results: -1 }, 'max_results: at least 0. Ask for 0 or more.'],
    ['max_results "abc"', { query: 'q', max_results: 'abc' }, 'max_results: must be a whole number.'],
    ['max_results 1e9', { query: 'q', max_results: 1e9 }, 'max_results: at most 30.'],
    ['max_results 1.5', { query: 'q', max_results: 1.5 }, 'max_results: must be a whole number.'],
    ['a boolean for an integer', { query: 'q', max_results: true }, 'max_results: must be a whole number.'],
    [
      'an unknown topic',
      { query: 'q', topic: 'sports' },
      'topic: must be one of general, news, finance, auto,',
    ],
    [
      'a date that does not exist',
      { query: 'q', start_date: '2026-02-30' },
      'start_date: must be a date such as 2026-01-31.',
    ],
    [
      'an answer mode that is none',
      { query: 'q', include_answer: 'long' },
      'include_answer: must be a boolean, or must be one of basic, advanced.',
    ],
    ['something that is no object', 'q', 'Must be an object.'],
  ])('refuses %s in words', (_name, raw, expected) => {
    expect(refusal(raw)).toContain(expected);
  });

  test.each([
    ['"5" for 5', { max_results: '5' }, { max_results: 5 }],
    ['ultra_fast for ultra-fast', { search_depth: 'ultra_fast' }, { search_depth: 'ultra-fast' }],
    ['"TRUE" for true', { include_images: 'TRUE' }, { include_images: true }],
    ['one domain for a list', { include_domains: 'example.com' }, { include_domains: ['example.com'] }],
  ])('accepts %s', (_name, raw, expected) => {
    expect(parseInput(searchContract.input, { query: ' q ', ...raw })).toMatchObject({
      query: 'q',
      ...expected,
    });
  });
});
