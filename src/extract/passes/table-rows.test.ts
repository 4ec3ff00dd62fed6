import { describe, expect, test } from 'vitest';
import { buildTree } from '../parse/tree.ts';
import { tableHeads, tableRows } from './table-rows.ts';

/** The texts that are kept when those with a star are to begin with. */
function kept(html: string): string[] {
  const tree = buildTree(html);
  const keep = Uint8Array.from(tree.blocks, ({ text }) => (text.includes('*') ? 1 : 0));
  tableRows.run({ tree, keep });
  tableHeads.run({ tree, keep });
  return tree.blocks.map(({ text }) => text).filter((_, index) => keep[index] === 1);
}

describe('a table', () => {
  test.each([
    ['a price without what it is for', '<tr><td>Gate fee<td>5 €*', ['Gate fee', '5 €*']],
    ['a label without its value', '<tr><td>Subjects:*<td>Water', ['Subjects:*', 'Water']],
    ['a row of which nothing is kept', '<tr><td>a<td>b<tr><td>c*<td>d', ['c*', 'd']],
    ['a cell that nobody sees', '<tr><td>a*<td hidden>b<td>c', ['a*', 'c']],
    ['a cell of which only a part is kept', '<tr><td><p>a*</p><p>b</p><td>c', ['a*']],
    ['a row that lays out a page', `<tr><td>a*<td>${'<p>b</p>'.repeat(4)}`, ['a*']],
    [
      'a head of two rows',
      '<thead><tr><td>Work<td colspan=2>Fee<tr><td>Name<td>old<td>new</thead><tr><td>Gate*<td>5<td>6<tr><td>Weir*<td>7<td>8',
      ['Work', 'Fee', 'Name', 'old', 'new', 'Gate*', '5', '6', 'Weir*', '7', '8'],
    ],
    ['its head', '<tr><th>Work<th>Fee<tr><td>Gate*<td>5', ['Work', 'Fee', 'Gate*', '5']],
  ])('is kept whole: %s', (_, rows, expected) => {
    expect(kept(`<p>x</p><table>${rows}</table>`)).toEqual(expected);
  });
});
