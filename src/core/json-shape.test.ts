import { expect, test } from 'vitest';
import { shapeProblem } from './json-shape.ts';
import { LIMITS } from './limits.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('values up to the bounds are fine, values beyond are refused in words', () => {
  expect(shapeProblem('text')).toBeUndefined();
  expect(shapeProblem(nested(LIMITS.requestDepthMax))).toBeUndefined();
  expect(shapeProblem(nested(LIMITS.requestDepthMax + 1))).toContain('nested deeper');
  expect(shapeProblem(Array.from({ length: LIMITS.requestFieldsMax }, () => 1))).toBeUndefined();
  expect(shapeProblem(Array.from({ length: LIMITS.requestFieldsMax + 1 }, () => 1))).toContain('fields');
  const rows = Array.from({ length: 200 }, () =>
    Object.fromEntries(Array.from({ length: 200 }, (_none, at) => [at, 1])),
  );
  expect(shapeProblem(rows)).toContain('fields');
});
