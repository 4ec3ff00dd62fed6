import { describe, expect, test } from 'vitest';
import { findAnchors, writeAnchors } from './anchor.ts';
import type { Row } from './row.ts';
import { surveyPage } from './survey.ts';
import { buildTree } from '../parse/tree.ts';
import { wordNumbers } from './words.ts';

const survey = surveyPage(
  buildTree(`<title>Blue kettle</title><body><h1>Our shop</h1><ul><li>Kettles<li>Pots</ul>
    <main><h1>Blue kettle</h1><p>$ 20</p><div><p>It boils.</p></div></main><ul><li>Kettles<li>Pots</ul></body>`),
);
const texts = survey.tree.blocks.map(({ text }) => text);
const anchors = findAnchors(survey, new Set(wordNumbers('blue kettle')));
const describeBlock = (index: number): number[] => {
  const row: Row = { values: new Float32Array(20), at: 0, names: undefined };
  writeAnchors(row, survey, anchors, index);
  return Array.from(row.values.subarray(0, row.at));
};

describe('findAnchors', () => {
  test('the title is the heading that says what the document is called, not the first one', () => {
    expect(texts[anchors.title]).toBe('Blue kettle');
  });

  test('texts that menus repeat are counted, and prices are near or far', () => {
    const kettles = texts.indexOf('Kettles');
    const again = texts.lastIndexOf('Kettles');
    expect(describeBlock(kettles).slice(0, 2)).toEqual([2, 0]);
    expect(describeBlock(again).slice(0, 2)).toEqual([2, 1]);
    expect(anchors.prices[texts.indexOf('$ 20')]).toBe(0);
    expect(anchors.prices[texts.indexOf('It boils.')]).toBe(1);
  });

  test('a page without a heading has no title', () => {
    const plain = surveyPage(buildTree('<p>Nothing but text.'));
    expect(findAnchors(plain, new Set()).title).toBe(-1);
  });
});
