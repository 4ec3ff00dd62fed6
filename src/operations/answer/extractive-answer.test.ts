import { expect, test } from 'vitest';
import type { Source } from '../../core/source.ts';
import { extractiveAnswer } from './extractive-answer.ts';

const sourceOf = (snippet: string): Source => ({
  title: 'Merrow bridge',
  url: 'https://merrow.example/bridge',
  snippet,
  score: 1,
  provider: 'tavily',
  trust: 'untrusted_web',
});

test.each([
  ['How much did the Merrow bridge cost?', true],
  ['How many people built the Merrow bridge, and why?', true],
  ['When was the Merrow bridge built?', true],
  ['Why was the Merrow bridge built?', false],
])('%s lacks its answer in a sentence without a figure: %s', (question, isLacking) => {
  const source = sourceOf('The Merrow bridge was built by people of the town for the market.');
  expect(extractiveAnswer(question, [source])?.isLacking).toBe(isLacking);
});

test('a price is what a question about a price asks for', () => {
  const source = sourceOf('The Merrow bridge cost 23 million euros.');
  expect(extractiveAnswer('How much did the Merrow bridge cost?', [source])?.isLacking).toBe(false);
});
