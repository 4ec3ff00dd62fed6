import { describe, expect, test } from 'vitest';
import { createCover } from './cover.ts';

describe('the cover of a question', () => {
  test('is the weighted part of its content words that a text has', () => {
    const cover = createCover('When was the headgate of the canal built?');
    expect(cover.of('The headgate of the canal was built in 1911.')).toBe(1);
    expect(cover.of('When was the house of the mayor seen?')).toBe(0);
    const canal = cover.of('A canal.');
    expect(canal).toBeGreaterThan(0);
    // `headgate` is rarer than `built`.
    expect(cover.of('A headgate.')).toBeGreaterThan(cover.of('It was built.'));
  });

  test('has words that are function words of other languages only', () => {
    const cover = createCover('Which plants are poisonous to cats, and do they die of them?');
    expect(cover.of('poisonous plants')).toBeLessThan(cover.of('poisonous plants, cats'));
    expect(cover.of('poisonous plants, cats')).toBeLessThan(cover.of('poisonous plants, cats die'));
  });

  test('does not grow with the number of texts or the words of a text that were not asked for', () => {
    const cover = createCover('headgate canal');
    expect(cover.of('headgate')).toBe(cover.of(`headgate ${'other words '.repeat(500)}`));
  });

  test.each([
    ['German inflection', 'Welche Stimmen zählten?', 'Die Stimme zählte nicht.'],
    ['Spanish inflection', '¿Qué proteínas fijan hierro?', 'La proteína fija el hierro.'],
    ['Japanese single characters', '旗の色は何色ですか', 'その旗は緑色だ。'],
    ['Chinese without particles', '运河的水闸在哪里', '水闸位于运河上游。'],
  ])('sees through %s', (_name, question, text) => {
    expect(createCover(question).of(text)).toBeGreaterThan(0.6);
  });

  test.each([
    ['English', 'Who wrote the report?', 0.1, 0.3, 0.55],
    ['Chinese', '谁写了报告', 0.1, 0.5, 0.6],
    ['Japanese', '誰が報告を書いたか', 0.1, 0.55, 0.65],
  ])('decides none, weak and answered: %s', (_name, question, ...bests) => {
    const cover = createCover(question);
    expect(bests.map((best) => cover.matchOf(best))).toEqual(['none', 'weak', 'answered']);
  });

  test('a question of function words is judged by them, and one without words not at all', () => {
    expect(createCover('who are you').of('you are who you are')).toBe(1);
    const nothing = createCover('?! …');
    expect(nothing.matchOf(nothing.of('anything'))).toBe('weak');
  });
});
