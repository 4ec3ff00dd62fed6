import { expect, test } from 'vitest';
import { cutPlace } from './cut.ts';

test.each([
  [
    'It is served by all (i.e. by most of them) here. Every other is not.',
    'It is served by all (i.e. by most of them) here. ',
    60,
  ],
  ['Dies gilt seit jenem Tag. Es trat am 1. Januar in Kraft.', 'Dies gilt seit jenem Tag. ', 42],
  ['Here it was told first. Later Dr. Watson told it again.', 'Here it was told first. ', 38],
  ['He was born in 1950. Then he went away from the town.', 'He was born in 1950. ', 36],
  [
    'It rained.[^2] It snowed on all the hills.[^12][^n3] Then the sun came out.',
    'It rained.[^2] It snowed on all the hills.[^12][^n3] ',
    64,
  ],
  ['First it rained a lot. Then it snowed here.', 'First it rained a lot. ', 30],
  ['Total revenue was known. It was $23. 3 billion is wrong.', 'Total revenue was known. ', 34],
  ['水門は古い。運河は「長い。広い。」と言われる。', '水門は古い。', 12],
  ['水闸很旧很旧很旧。总收入为23.3亿美元。', '水闸很旧很旧很旧。', 16],
])('a full stop in %j ends a sentence only where it does', (text, expected, to) => {
  expect(text.slice(0, cutPlace(text, 0, to))).toBe(expected);
});

test('a link is not cut between its words', () => {
  const text = 'some words before it [three more words](https://example.org/a) and after';
  expect(text.slice(0, cutPlace(text, 0, 32))).toBe('some words before it ');
});
