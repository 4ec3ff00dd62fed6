import { describe, expect, test } from 'vitest';
import { createPatterns } from './patterns.ts';

describe('a caller’s regular expressions', () => {
  test('say for every text whether one of them matches', () => {
    expect(createPatterns('select_paths', ['^/docs', 'blog$'])?.(['/docs/a', '/my-blog', '/x'])).toEqual([
      true,
      true,
      false,
    ]);
    expect(createPatterns('select_paths', [])).toBeUndefined();
  });

  test('a pattern that explodes is stopped and told, and the process goes on', () => {
    const explode = createPatterns('select_paths', ['^(/|[a-z]+)+!$']);
    expect(() => explode?.([`/${'a'.repeat(60)}`])).toThrow('select_paths: matching took too long.');
    expect(explode?.(['/a!'])).toEqual([true]);
  });

  test.each([
    ['(', 'is not a regular expression'],
    ['x'.repeat(301), 'at most 300 characters'],
  ])('%s is refused in words', (pattern, expected) => {
    expect(() => createPatterns('exclude_paths', [pattern])).toThrow(expected);
  });
});
