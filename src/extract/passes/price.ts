import { type JsonObject, linkedObjects, typesOf } from '../parse/linked-data.ts';
import type { PageHead } from '../parse/head.ts';
import type { Block } from '../parse/nodes.ts';
import type { Pass, PassPage } from './pass.ts';

const CHARS_MAX = 120;
const CURRENCY = /[$€£¥₹₩₽₺₫฿]|\b(?:USD|EUR|GBP|CHF|CAD|AUD|kr|zł|Kč|Ft|lei|Rs)\b|円|元/i;

/** Keeps the first block that shows the price in the page's JSON-LD, unless a kept block has it. */
export const price = {
  name: 'price',
  why: 'Buyers ask for the price, and the texts that the model learned from mostly leave it out.',
  madeFor: 'product pages with JSON-LD',
  run: keepPrice,
} satisfies Pass;

function keepPrice({ tree, keep }: Pick<PassPage, 'tree' | 'keep'>): void {
  const wanted = readPrice(tree.head);
  if (wanted === undefined) return;
  const shows = ({ text, element }: Block): boolean =>
    element.hidden === '' && CURRENCY.test(text) && amountsIn(text).includes(wanted);
  const title = tree.blocks.findIndex(({ element }) => element.tag === 'h1');
  let first = -1;
  for (const [index, block] of tree.blocks.entries()) {
    const isPlace = keep[index] === 1 || (first === -1 && index > title && block.text.length <= CHARS_MAX);
    if (!isPlace || !shows(block)) continue;
    if (keep[index] === 1) return;
    first = index;
  }
  if (first !== -1) keep[first] = 1;
}

/** The price of the one product that a page is about. */
function readPrice(head: PageHead): number | undefined {
  if (!head.linkedData.some((text) => text.includes('Product') && /price/i.test(text))) return undefined;
  const products = linkedObjects(head).filter((object) => typesOf(object).includes('Product'));
  const prices = new Set(products.flatMap(pricesOf));
  return prices.size === 1 ? [...prices][0] : undefined;
}

function pricesOf(product: JsonObject): number[] {
  return [product['offers'] ?? []].flat().flatMap((offer) => {
    if (offer === null || typeof offer !== 'object' || Array.isArray(offer)) return [];
    const price = offer['price'] ?? offer['lowPrice'];
    const isAmount = typeof price === 'number' || typeof price === 'string';
    return isAmount
      ? amountsIn(String(price))
          .slice(0, 1)
          .filter((amount) => amount > 0)
      : [];
  });
}

const AMOUNT = /\d{1,3}(?:[.,\s'’]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,9}(?:[.,]\d{1,2})?(?!\d)/g;

/** The amounts in a text, in all notations: 1,299.00, 1.299,00, 1 299. */
function amountsIn(text: string): number[] {
  return (text.slice(0, CHARS_MAX * 10).match(AMOUNT) ?? []).map((amount) => {
    const [, whole = '', cents = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/s.exec(amount) ?? [];
    return Number(`${whole.replace(/\D/g, '')}.${cents.padEnd(2, '0')}`);
  });
}
