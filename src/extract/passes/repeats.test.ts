import { describe, expect, test } from 'vitest';
import { surveyPage } from '../features/survey.ts';
import { buildTree } from '../parse/tree.ts';
import { repeats } from './repeats.ts';

function kept(html: string): string[] {
  const tree = buildTree(html);
  const keep = new Uint8Array(tree.blocks.length).fill(1);
  repeats.run({ survey: surveyPage(tree), keep });
  return tree.blocks.map(({ text }) => text).filter((_, index) => keep[index] === 1);
}

const TOXIC = 'Toxic to cats, dogs and most horses.';
const LONG = 'The gate lets water from the river into the canal on every day of the year.';

describe('of what a page says twice', () => {
  test.each([
    ['a fact in a list', `<ul><li>Low light<li>${TOXIC}</ul><ul><li>Bright light<li>${TOXIC}</ul>`, TOXIC],
    [
      'two facts in a list',
      `<ul><li>Low light<li>Water it twice in every single week.<li>${TOXIC}</ul><ul><li>Bright<li>Water it twice in every single week.<li>${TOXIC}</ul>`,
      TOXIC,
    ],
    ['a fact that stands alone', `<h3>Palm</h3><p>${TOXIC}</p><h3>Ivy</h3><p>${TOXIC}</p>`, TOXIC],
    ['a meaning', `<dl><dt>Palm<dd>${LONG}<dt>Ivy<dd>${LONG}</dl>`, LONG],
    ['a cell', `<table><tr><td>Palm<td>${LONG}<tr><td>Ivy<td>${LONG}</table>`, LONG],
    ['code', `<pre>${LONG}</pre><p>again:</p><pre>${LONG}</pre>`, LONG],
  ])('both are kept: %s', (_, html, text) => {
    expect(kept(html).filter((one) => one === text)).toHaveLength(2);
  });

  test.each([
    ['a long paragraph', `<p>${LONG}</p><h2>More</h2><p>${LONG}</p>`, LONG],
    [
      'a short one with its heading',
      `<h3>Palm</h3><p>${TOXIC}</p><h2>More</h2><h3>Palm</h3><p>${TOXIC}</p>`,
      TOXIC,
    ],
    ['one right behind the other', '<p>Read more</p><p>Read more</p>', 'Read more'],
    [
      'a list',
      `<ul><li>Low light<li>${TOXIC}<li>Dry soil</ul><p>Palm</p><ul><li>Low light<li>${TOXIC}<li>Dry soil</ul>`,
      TOXIC,
    ],
  ])('one is kept: %s', (_, html, text) => {
    expect(kept(html).filter((one) => one === text)).toHaveLength(1);
  });
});
