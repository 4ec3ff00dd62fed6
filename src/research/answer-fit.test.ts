import { expect, test } from 'vitest';
import { asksWhat } from './answer-fit.ts';

test.each([
  ['What is a headgate?', true],
  ['Who was Marta Ribero?', true],
  ['What is wrong with the Lumo Pebble, and how do I get my money back?', false],
  ['What is known about the outage of 3 May?', false],
])('%s asks for a definition: %s', (query, asks) => {
  expect(asksWhat(query)).toBe(asks);
});
