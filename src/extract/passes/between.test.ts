import { describe, expect, test } from 'vitest';
import { surveyPage } from '../features/survey.ts';
import { buildTree } from '../parse/tree.ts';
import { admonitions, codeBetween, definitionTerms } from './between.ts';

const TEXT = '<p>The gate lets water into the canal.</p>';

/** Which of the page's texts are kept, when those that speak of water are to begin with. */
function kept(html: string): string[] {
  const tree = buildTree(html);
  const keep = Uint8Array.from(tree.blocks, ({ text }) => (text.includes('water') ? 1 : 0));
  codeBetween.run({ survey: surveyPage(tree), keep });
  admonitions.run({ tree, keep });
  definitionTerms.run({ tree, keep });
  return tree.blocks.map(({ text }) => text).filter((_, index) => keep[index] === 1);
}

describe('between two texts that are kept', () => {
  test.each([
    ['code', '<pre>open gate</pre>', ['open gate']],
    ['code with its button', '<p>Copy code</p><pre>open gate</pre>', ['open gate']],
    ['two pieces of code', '<pre>open</pre><pre>close</pre>', ['open', 'close']],
    ['a formula', '<p><math alttext="q=Av"></math></p>', ['$q=Av$']],
    [
      'a warning',
      '<div class="admonition warning"><p>Warning</p><p>Mind the step.</p></div>',
      ['Warning', 'Mind the step.'],
    ],
    [
      'the word above a warning',
      '<div class="alert"><p>Good to know</p><p>The water is cold.</p><p>Subscribe to our letter and never miss a flood.</p></div><p>Buy a new gate for your canal today.</p>',
      ['Good to know', 'The water is cold.'],
    ],
    [
      'the term of a meaning',
      '<dl><dt>Sluice<dt>Weir<dd>A wall in the water.</dl>',
      ['Sluice', 'Weir', 'A wall in the water.'],
    ],
    ['a formula with its number', '<p><math alttext="q=Av"></math>,</p><p>(1.2a)</p>', ['$q=Av$,', '(1.2a)']],
  ])('%s is kept', (_, html, expected) => {
    const own = 'The gate lets water into the canal.';
    expect(kept(`${TEXT}${html}${TEXT}`)).toEqual([own, ...expected, own]);
  });

  test.each([
    ['other text', '<p>Subscribe to our letter and never miss a flood.</p>'],
    ['code beside other text', '<pre>open</pre><p>Subscribe to our letter and never miss a flood.</p>'],
    ['a warning of links', '<div class="alert"><a href="/a">Subscribe to our letter now</a></div>'],
    ['a term without a meaning', '<dl><dt>Sluice<dd>Subscribe to our letter and never miss a flood.</dl>'],
    ['hidden code', '<pre hidden>open gate</pre>'],
    ['a price', '<p>$20 and $30</p>'],
  ])('%s is not', (_, html) => {
    expect(kept(`${TEXT}${html}${TEXT}`)).toHaveLength(2);
  });
});

test('code before or behind all that is kept is not kept', () => {
  expect(kept(`<pre>open</pre>${TEXT}<pre>close</pre>`)).toHaveLength(1);
});
