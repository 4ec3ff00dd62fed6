import { expect, test } from 'vitest';
import { buildTree } from '../parse/tree.ts';
import { groupBit } from '../parse/class-groups.ts';
import { nameElements } from './name-elements.ts';

test.each([
  ['itemprop="articleBody"', true],
  ['itemprop="text"', true],
  ['itemprop="description"', true],
  ['itemprop="price"', false],
  ['class="articleBody"', false],
  ['id="description"', false],
])('<div %s> is marked for machines as text: %s', (attribute, isMarked) => {
  const tree = buildTree(`<div ${attribute}>The mill grinds rye.</div>`);
  nameElements(tree);
  const groups = tree.elements.find(({ tag }) => tag === 'div')?.groups ?? 0;
  expect((groups & groupBit('marked')) !== 0).toBe(isMarked);
});
