import { expect, test } from 'vitest';
import { hasFigure, saidIn } from './said.ts';

const WITH_YEAR = saidIn('奥霧線は2023年10月1日に廃止された。', 'ja');
const WITHOUT = saidIn('奥霧線は10月1日付で廃止された。', 'ja');

test('a date is one figure', () => {
  expect(WITH_YEAR.figures.size).toBe(1);
  expect(WITHOUT.figures.size).toBe(1);
});

test('a day without its year is known from one with it, and not the other way round', () => {
  const isKnown = (one: typeof WITH_YEAR, from: typeof WITH_YEAR): boolean =>
    [...one.figures].every((figure) => hasFigure(from, figure));
  expect(isKnown(WITHOUT, WITH_YEAR)).toBe(true);
  expect(isKnown(WITH_YEAR, WITHOUT)).toBe(false);
});
