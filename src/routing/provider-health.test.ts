import { describe, expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { createHealthBook } from './provider-health.ts';

const down = new HeadgateError('network_error', 'No address.');

describe('what the attempts say about a provider', () => {
  test.each([
    ['unknown', ''],
    ['ok', '+'],
    ['down', '-'],
    ['down', '--------------------'],
    ['degraded', '-+'],
    ['degraded', '+-'],
    ['degraded', '+++++++++++++++++++-'],
    ['ok', '-+++++++++'],
    ['ok', '-++++++++++++++++++++'],
  ])('%s after %j', (state, attempts) => {
    const book = createHealthBook({ clock: createTestClock() });
    for (const one of attempts) {
      if (one === '+') book.answered('tavily', 'ok');
      else book.failed('tavily', down);
    }
    expect(book.of('tavily').state).toBe(state);
    expect(book.of('brave').state).toBe('unknown');
  });

  test('an answer that is degraded is no good one, and its reason is told', () => {
    const book = createHealthBook({ clock: createTestClock() });
    book.answered('searxng', 'degraded', { reason: 'Every engine is blocked.' });
    expect(book.of('searxng')).toMatchObject({ state: 'down', reason: 'Every engine is blocked.' });
  });

  test.each(['limit_reached', 'insufficient_credits', 'invalid_request', 'cancelled'] as const)(
    '%s says nothing about the provider',
    (code) => {
      const book = createHealthBook({ clock: createTestClock() });
      book.failed('tavily', new HeadgateError(code, 'No.'));
      expect(book.of('tavily').state).toBe('unknown');
    },
  );

  test('a provider that was not asked, because it failed before, says nothing new', () => {
    const book = createHealthBook({ clock: createTestClock() });
    book.failed('tavily', new HeadgateError('upstream_timeout', 'Not tried.', { isUnasked: true }));
    expect(book.of('tavily').state).toBe('unknown');
  });

  test('what was long ago is no longer known', async () => {
    const clock = createTestClock();
    const book = createHealthBook({ clock });
    book.failed('tavily', down);
    expect(book.of('tavily').state).toBe('down');
    clock.advance(15 * 60_000);
    expect(book.of('tavily')).toEqual({ state: 'unknown', attempts: 0, failures: 0 });
  });

  test.each([-300_000, 3_652 * 86_400_000])('a clock that is set by %d ms changes nothing about it', (ms) => {
    const clock = createTestClock();
    const book = createHealthBook({ clock });
    book.failed('tavily', down);
    clock.step(ms);
    expect(book.of('tavily').state).toBe('down');
    clock.advance(15 * 60_000);
    expect(book.of('tavily').state).toBe('unknown');
  });
});
