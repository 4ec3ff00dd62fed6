import { describe, expect, test } from 'vitest';
import { buildTree } from '../parse/tree.ts';
import { price } from './price.ts';

const product = (price: unknown, more = ''): string =>
  `<script type="application/ld+json">[{"@type":"Product","name":"Gate","offers":{"@type":"Offer","price":${JSON.stringify(price)}}}${more}]</script>`;

/** What is kept besides the texts with a star. */
function kept(html: string): string[] {
  const tree = buildTree(html);
  const keep = Uint8Array.from(tree.blocks, ({ text }) => (text.includes('*') ? 1 : 0));
  price.run({ tree, keep });
  return tree.blocks
    .map(({ text }) => text)
    .filter((text, index) => keep[index] === 1 && !text.includes('*'));
}

describe('the price of a product', () => {
  test.each([
    [1299, '$1,299.00'],
    ['1299.00', '1.299 €'],
    ['1299,5', '1 299,50 €'],
    ['$79.99', 'Price: USD 79.99'],
    [12800, '¥12,800'],
    [9, 'Now £9'],
  ])('of %j is kept where it is shown: %s', (price, shown) => {
    expect(
      kept(`${product(price)}<p>Free from $9.50</p><h1>Gate</h1><p>${shown}</p><p>${shown}</p>`),
    ).toEqual([shown]);
  });

  test.each([
    ['it is kept already', `${product(9)}<h1>Gate</h1><p>$9</p><p>Now only $9.00 *</p>`],
    ['it is not a price', `${product(9)}<h1>Gate</h1><p>9 reviews</p>`],
    ['it is another one', `${product(9)}<h1>Gate</h1><p>$19 or $9.50 or $99</p>`],
    ['nobody sees it', `${product(9)}<h1>Gate</h1><p hidden>$9</p>`],
    ['it stands in a long text', `${product(9)}<h1>Gate</h1><p>${'Gates for less. '.repeat(9)} $9</p>`],
    [
      'there are two products',
      `${product(9, `,{"@type":"Product","offers":{"price":8}}`)}<h1>Gates</h1><p>$9</p>`,
    ],
    ['the page tells none', '<h1>Gate</h1><p>$9</p>'],
  ])('is not kept when %s', (_, html) => {
    expect(kept(html)).toEqual([]);
  });
});
