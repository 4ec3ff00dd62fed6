import { expect, test } from 'vitest';
import { buildTree } from '../../src/extract/parse/tree.ts';
import { writeMarkdown } from '../../src/extract/write/markdown.ts';

/** The Markdown of what is kept: everything but the blocks with these texts. */
function without(html: string, ...texts: string[]): string {
  const tree = buildTree(html);
  return writeMarkdown(tree, {
    keep: Uint8Array.from(tree.blocks, ({ text }) => (texts.includes(text) ? 0 : 1)),
  });
}

const POST = '<table><tr><td>May 3<td>#1<tr><td>Ada<td><p>Hello.</p><p>Bye.</p></table>';

test('a frame of which one cell per row is left is no table', () => {
  expect(without(POST, '#1', 'Ada')).toBe('May 3\n\nHello.\n\nBye.');
});

test('items keep the numbers that the page shows', () => {
  expect(without('<ol><li>Mix<li>Buy our book<li>Bake</ol>', 'Buy our book')).toBe('1. Mix\n3. Bake');
});

test('a table that lost a cell is one still', () => {
  expect(without(POST, 'Ada')).toBe('| May 3 | #1 |\n| --- | --- |\n|  | Hello.<br>Bye. |');
  expect(without('<table><tr><th>A<th>B<tr><td>1<td></table>')).toBe('| A | B |\n| --- | --- |\n| 1 |  |');
});
