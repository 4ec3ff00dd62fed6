import { expect, test } from 'vitest';
import { surveyPage } from '../features/survey.ts';
import { buildTree } from '../parse/tree.ts';
import { writeText } from '../write/text.ts';
import { readMain } from './index.ts';

const sentence = 'The gate at the mill held, as it had held for a hundred years before that night.';
const body = `<p>${sentence}</p><h2>Why it held</h2><p>${sentence} Oak.</p><p>${sentence} Iron.</p><h2>What comes next</h2><p>${sentence} Steel.</p>`;

/** What is kept when the blocks of the page have these chances. */
const read = (chances: number[]): string => {
  const { tree, keep } = readMain(buildTree(body), undefined, {
    estimate: () => Float32Array.from(chances),
  });
  return writeText(tree, keep);
};

test('the heading of a section that is content is kept, although it alone would not be', () => {
  expect(surveyPage(buildTree(body)).tree.blocks).toHaveLength(6);
  const text = read([0.9, 0.3, 0.9, 0.9, 0.3, 0.9]);
  expect(text).toContain('Why it held');
  expect(text).toContain('What comes next');
});

test('it is not when it is unlikely to be content, or a part of its section is not', () => {
  const text = read([0.9, 0.1, 0.9, 0.9, 0.1, 0.9]);
  expect(text).not.toMatch(/Why it held|What comes next/);
  expect(read([0.9, 0.3, 0.9, 0.01, 0.3, 0.9])).not.toContain('Why it held');
});
