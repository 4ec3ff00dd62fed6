import { describe, expect, test } from 'vitest';
import { htmlToMarkdown } from '../html.ts';
import { buildTree } from './tree.ts';

const textOf = (html: string): string =>
  buildTree(`<p>${html}</p>`)
    .blocks.map(({ text }) => text)
    .join('\n');

describe('texts of two elements that touch', () => {
  test.each([
    ['<span>Name</span><span>Ada</span>', 'Name Ada'],
    ['<b>Note:</b>The gate', 'Note: The gate'],
    ['<span>Mar 7</span><time>Updated</time>', 'Mar 7 Updated'],
    ['<del>$20</del><ins>$15</ins>', '$20 $15'],
    ['<span>suffix</span><span>nullable</span>', 'suffix nullable'],
    ['<a>4.1 out of 5 stars</a><span>170</span>', '4.1 out of 5 stars 170'],
    ['<span>Bolt</span><span>5</span>', 'Bolt 5'],
    ['<span>id</span><span>string</span>', 'id string'],
    ['<span>$145</span><span>19% off</span>', '$145 19% off'],
    ['<span>was: $24.95.</span><span>$14.97</span><span>+$29</span>', 'was: $24.95. $14.97 +$29'],
  ])('are two words: %s', (html, expected) => {
    expect(textOf(html)).toBe(expected);
  });

  test.each([
    ['un<em>believ</em>able', 'unbelievable'],
    ['<span>i</span><span>Phone</span>', 'iPhone'],
    ['<span>g</span><span>a</span><span>t</span><span>e</span>', 'gate'],
    ['<b>G</b>ate', 'Gate'],
    ['<span>12</span><span>34</span>', '1234'],
    ['<span>$</span><span>1,299</span><span>.99</span>', '$1,299.99'],
    ['<code><span>read</span><span>Gate</span></code>', 'readGate'],
    ['20<sup>th</sup>', '20th'],
    ['<a>Gates</a>, <a>Weirs</a>.', 'Gates, Weirs.'],
    ['<span>水</span><span>門</span>', '水門'],
  ])('are one: %s', (html, expected) => {
    expect(textOf(html)).toBe(expected);
  });

  test('are two words in Markdown, too', () => {
    expect(htmlToMarkdown('<p><b>Name</b><a href="https://e.org/">Ada</a></p>')).toBe(
      '**Name** [Ada](https://e.org/)',
    );
  });
});

describe('a price for the ear and for the eye', () => {
  const eye = '<span aria-hidden="true"><span>$</span><span>19<span>.</span></span><span>99</span></span>';

  test('is read once', () => {
    const html = `Now <span class="a-offscreen">$19.99</span>${eye} each`;
    expect(textOf(html)).toBe('Now $19.99 each');
    expect(htmlToMarkdown(`<p>${html}</p>`)).toBe('Now $19.99 each');
  });

  test('that is only for the eye is read', () => {
    expect(textOf(`Now <span>only</span> ${eye} each`)).toBe('Now only $19.99 each');
  });
});
