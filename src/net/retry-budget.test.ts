import { expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { createRetryBudget } from './retry-budget.ts';

const setup = () => {
  const clock = createTestClock();
  return { clock, budget: createRetryBudget({ clock }) };
};

test('ten calls in a minute always get their retries, the eleventh does not', () => {
  const { clock, budget } = setup();
  const granted = Array.from({ length: 11 }, () => {
    clock.advance(1_000);
    return budget.open('a').takeRetry('key');
  });
  expect(granted).toEqual([...Array.from({ length: 10 }, () => true), false]);
  clock.advance(60_000);
  expect(budget.open('a').takeRetry('key')).toBe(true);
});

test('callers are counted apart', () => {
  const { budget } = setup();
  for (let call = 0; call < 20; call += 1) budget.open('busy');
  expect(budget.open('busy').takeRetry('key')).toBe(false);
  expect(budget.open('quiet').takeRetry('key')).toBe(true);
});

test('a busy caller earns a tenth of a retry with every request, for the key that was asked', () => {
  const { budget } = setup();
  for (let call = 0; call < 40; call += 1) budget.open('busy').countRequest('first');
  const turn = budget.open('busy');
  const granted = Array.from({ length: 6 }, () => turn.takeRetry('first'));
  expect(granted.filter(Boolean)).toHaveLength(4);
  expect(turn.takeRetry('second')).toBe(false);
});
