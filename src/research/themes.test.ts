import { expect, test } from 'vitest';
import { themesOf } from './themes.ts';

test.each([
  ['What causes drought in wet forests?', 'What causes drought in wet forests', 'Trees died in 2005.'],
  ['¿Qué causó la sequía?', 'Qué causó la sequía', 'En 2005 murieron árboles.'],
  ['雨林为什么会发生干旱？', '雨林为什么会发生干旱', '2005年很多树死了。'],
])('findings that nothing divides are headed by the question: %s', (question, heading, text) => {
  expect(themesOf([{ text }], question)).toEqual([heading]);
});
