import { expect, test } from 'vitest';
import { addAgreement } from './agreement.ts';

const wordsOf = (texts: string[]) => (at: number) => (texts[at] ?? '').split(' ');

test('of two passages with one score the one that speaks of the same as the best comes first', () => {
  const scores = Float64Array.of(4, 4, 6);
  addAgreement(
    scores,
    wordsOf(['tide table of harbours', 'tide moon gravity pull', 'tide moon gravity ocean']),
  );
  expect(scores[1]).toBeGreaterThan(scores[0] ?? 0);
  expect(scores[2]).toBeGreaterThan(scores[1] ?? 0);
});

test('words that are everywhere are no agreement', () => {
  const scores = Float64Array.of(4, 4, 6);
  addAgreement(scores, wordsOf(['is of the and zebra', 'estuary barrage', 'is of the and estuary']));
  expect(scores[1]).toBeGreaterThan(scores[0] ?? 0);
});

test('what did not match gains nothing, and neither does a pool without any match', () => {
  const scores = Float64Array.of(0, 3);
  addAgreement(scores, wordsOf(['tide moon', 'tide moon']));
  expect(scores[0]).toBe(0);
  const none = new Float64Array(2);
  addAgreement(none, wordsOf(['tide', 'tide']));
  expect([...none]).toEqual([0, 0]);
});

test('only the best are compared, and the rest stay below them', () => {
  const scores = Float64Array.from({ length: 40 }, (_, at) => 40 - at);
  const asked: number[] = [];
  addAgreement(scores, (at) => {
    asked.push(at);
    return [`word${at}`];
  });
  expect(asked).toHaveLength(30);
  expect(scores[30]).toBe(10);
  expect(Math.min(...scores.slice(0, 30))).toBeGreaterThanOrEqual(11);
});
