import { expect, test } from 'vitest';
import { estimateChances } from '../choice/estimate.ts';
import type { FeatureTable } from './row.ts';
import { surveyPage } from './survey.ts';
import { buildTree } from '../parse/tree.ts';

/** The rows of a page as the model sees them, by name. */
function describePage(html: string): Record<string, number>[] {
  const survey = surveyPage(buildTree(html));
  let table: FeatureTable | undefined;
  estimateChances(survey, undefined, (described) => (table = described));
  const { values, width, names } = table as FeatureTable;
  expect(names).toHaveLength(width);
  expect(new Set(names).size).toBe(width);
  return survey.tree.blocks.map((_, row) =>
    Object.fromEntries(names.map((name, at) => [name, values[row * width + at] as number])),
  );
}

test('every feature has a name of its own, and its value under that name', () => {
  const [heading, text, link] = describePage(
    '<title>The gate</title><main><h2>The gate</h2><p>It holds back the water, and it is old.</p></main><nav><a href="/">Home page</a></nav>',
  );
  expect(heading).toMatchObject({ 'text.words': 2, 'heading.blocks_above': 0, 'near[-1].words': -1 });
  expect(text).toMatchObject({
    'text.words': 9,
    'text.commas': 1,
    'above.main': 1,
    'near[-1].words': 2,
    'heading.level': 2,
    'from_title.blocks': 1,
    'page.blocks': 3,
    'url.depth': 0,
  });
  expect(link).toMatchObject({ 'text.link_share': 1, 'above.nav': 1, 'near[1].words': -1 });
  expect(link?.['chance.near[-1]']).toBe(text?.['chance']);
});

test('a page without a title has the same features', () => {
  const [only] = describePage('<p>Nothing but text.</p>');
  expect(only).toMatchObject({ 'from_title.blocks': -9_999, 'heading.level': -1, 'text.words': 3 });
});
