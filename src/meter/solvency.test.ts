import { expect, test } from 'vitest';
import { createTestClock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Settlement } from './settlement.ts';
import { createSolvency } from './solvency.ts';

const PRICE = 8_000;
const paid = { workspace: 'w', free: false };
const left = (balance: number) => ({ balance, state: 'settled' }) as Settlement;

test('an account is solvent for a second after it could have paid for a thousand calls more', () => {
  const clock = createTestClock();
  const solvency = createSolvency(clock);
  expect(solvency.covers('w', PRICE)).toBe(false);
  solvency.note(paid, left(PRICE * LIMITS.solventCallsMin));
  expect(solvency.covers('w', PRICE)).toBe(true);
  expect(solvency.covers('w', PRICE + 1)).toBe(false);
  expect(solvency.covers('another', PRICE)).toBe(false);
  clock.advance(LIMITS.solventMs);
  expect(solvency.covers('w', PRICE)).toBe(false);
});

test('a call within the free allowance, a refusal and a settlement that is not booked yet say nothing', () => {
  const solvency = createSolvency(createTestClock());
  const plenty = left(PRICE * LIMITS.solventCallsMin * 10);
  solvency.note({ ...paid, free: true }, plenty);
  expect(solvency.covers('w', PRICE)).toBe(false);
  solvency.note(paid, plenty);
  solvency.note(paid, { state: 'settled', pending: true } as Settlement);
  expect(solvency.covers('w', PRICE)).toBe(false);
  solvency.note(paid, plenty);
  solvency.forget('w');
  expect(solvency.covers('w', PRICE)).toBe(false);
});

test('what costs nothing, and the person at this machine, go the ordinary road', () => {
  const solvency = createSolvency(createTestClock());
  solvency.note({ ...paid, workspace: undefined }, left(1e12));
  solvency.note(paid, left(1e12));
  expect(solvency.covers(undefined, PRICE)).toBe(false);
  expect(solvency.covers('w', 0)).toBe(false);
});
