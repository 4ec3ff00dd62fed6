import { describe, expect, test } from 'vitest';
import { createTestClock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { createRetryBudget } from './retry-budget.ts';
import { withRetry, type RetryOptions } from './retry.ts';

const down = () => new HeadgateError('upstream_unavailable', 'HTTP 503.');

function setup(options: Partial<RetryOptions> = {}) {
  const clock = createTestClock();
  const retry: RetryOptions = {
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    deadline: clock.now() + 60_000,
    ...options,
  };
  return { clock, retry };
}

/** Throws the given errors one after the other, then answers. */
function failing(errors: HeadgateError[]) {
  const seen: number[] = [];
  const attempt = async (number: number) => {
    seen.push(number);
    const error = errors[number];
    if (error !== undefined) throw error;
    return 'answer';
  };
  return { seen, attempt };
}

describe('retrying', () => {
  test('F28: 500 twice and then 200 is a success after three requests', async () => {
    const { clock, retry } = setup();
    const { attempt, seen } = failing([down(), down()]);
    expect(await withRetry(attempt, retry)).toBe('answer');
    expect(seen).toEqual([0, 1, 2]);
    expect(clock.slept).toEqual([500, 1_000]);
  });

  test('F29: a constant 503 is asked at most four times, with full jitter under 1, 2 and 4 seconds', async () => {
    const { clock, retry } = setup({ random: () => 0.999_999 });
    const { attempt, seen } = failing(Array.from({ length: 9 }, down));
    await expect(withRetry(attempt, retry)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(seen).toHaveLength(4);
    expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
  });

  test('what cannot succeed unchanged is never tried again', async () => {
    for (const code of [
      'upstream_authentication',
      'upstream_quota',
      'upstream_blocked',
      'upstream_invalid',
      'circuit_open',
    ] as const) {
      const { retry } = setup();
      const { attempt, seen } = failing([new HeadgateError(code, 'No.')]);
      await expect(withRetry(attempt, retry)).rejects.toMatchObject({ code });
      expect(seen).toEqual([0]);
    }
  });

  test('a bug is not retried and becomes an internal error', async () => {
    const { retry } = setup();
    const attempt = async () => {
      throw new TypeError('oops');
    };
    await expect(withRetry(attempt, retry)).rejects.toMatchObject({ code: 'internal' });
  });

  test('F27: Retry-After is waited for in full, never less, and 0 means now', async () => {
    for (const retryAfterMs of [2_000, 0, 30_000]) {
      const { clock, retry } = setup({ random: () => 0 });
      const { attempt } = failing([new HeadgateError('upstream_rate_limit', '429', { retryAfterMs })]);
      await withRetry(attempt, retry);
      expect(clock.slept).toEqual([retryAfterMs]);
    }
  });

  test('F27: a Retry-After beyond the deadline ends the call at once and is handed to the caller', async () => {
    const { clock, retry } = setup();
    const { attempt, seen } = failing([
      new HeadgateError('upstream_rate_limit', '429', { retryAfterMs: 86_400_000 }),
    ]);
    await expect(withRetry(attempt, retry)).rejects.toMatchObject({
      code: 'upstream_rate_limit',
      retryAfterMs: 86_400_000,
    });
    expect(seen).toEqual([0]);
    expect(clock.slept).toEqual([]);
  });

  test('a wait that would miss the deadline is not begun', async () => {
    const { clock, retry } = setup();
    const { attempt, seen } = failing([down(), down(), down()]);
    await expect(withRetry(attempt, { ...retry, deadline: clock.now() + 1_200 })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(seen).toEqual([0, 1]);
  });

  test('a cancelled call is not tried again', async () => {
    const controller = new AbortController();
    const { retry } = setup({ signal: controller.signal });
    let calls = 0;
    const attempt = async () => {
      calls += 1;
      controller.abort();
      throw down();
    };
    await expect(withRetry(attempt, retry)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(calls).toBe(1);
  });
});

describe('the retry budget', () => {
  test('F36: 1,000 calls into an outage add at most a tenth, plus the small reserve', async () => {
    const clock = createTestClock();
    // Time stands still here, so that the reserve cannot come back in between.
    const frozen = { now: () => clock.now(), sleep: async () => {}, after: () => () => {} };
    const budget = createRetryBudget({ clock: frozen });
    let requests = 0;
    const { retry } = setup({ clock: frozen, budget: budget.of('tavily/1') });
    for (let call = 0; call < 1_000; call += 1) {
      const attempt = async () => {
        requests += 1;
        throw down();
      };
      await expect(withRetry(attempt, retry)).rejects.toThrow('503');
    }
    expect(requests).toBeGreaterThanOrEqual(1_090);
    expect(requests).toBeLessThanOrEqual(1_103);
  });

  test('one key cannot spend the budget of another, and a quiet key gets its reserve back', () => {
    const clock = createTestClock();
    const budget = createRetryBudget({ clock });
    const [first, second] = [budget.of('a'), budget.of('b')];
    const spend = (key: typeof first) => Array.from({ length: 5 }, () => key.takeRetry());
    expect(spend(first)).toEqual([true, true, true, false, false]);
    expect(spend(second)).toEqual([true, true, true, false, false]);
    clock.advance(20_000);
    expect(spend(first)).toEqual([true, false, false, false, false]);
    clock.advance(3_600_000);
    expect(spend(first)).toEqual([true, true, true, false, false]);
  });
});
