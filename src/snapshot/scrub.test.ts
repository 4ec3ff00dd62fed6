import { expect, test } from 'vitest';
import { knownSecrets } from './scrub.ts';

test('a known secret is found wherever it is, in every spelling, and nothing else is', () => {
  const secrets = ['tvly-9aK2xQ7LmT', 'pässwört-42', 'secret', 'a"b\\c%d/e+f', 'x'.repeat(300)];
  const { spellings, isIn } = knownSecrets(secrets);
  expect(spellings.length).toBeGreaterThan(50);
  const around = 'ab tvly-9aK2xQ7Lm secre pa xxxxx dHZseS05 ';
  expect(isIn(Buffer.from(around.repeat(20)))).toBe(false);
  const missed: string[] = [];
  for (const spelling of spellings)
    for (let at = 0; at < 12; at += 1) {
      const text = `${around.slice(0, at)}${spelling}`;
      const cut = Buffer.from(text.slice(0, -1));
      const isCutFound = isIn(cut) === spellings.some((one) => cut.includes(one));
      if (!isIn(Buffer.from(text)) || !isIn(Buffer.from(`${text}${around}`)) || !isCutFound)
        missed.push(spelling);
    }
  expect(missed).toEqual([]);
  expect(knownSecrets([]).isIn(Buffer.from('secret'))).toBe(false);
  expect(knownSecrets(['', 'short']).isIn(Buffer.from('a short text'))).toBe(false);
});
