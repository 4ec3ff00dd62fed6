import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createCover } from '../../src/rank/cover.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import { EXAMPLE_WEBS } from '../support/research/example-webs.ts';
import { createResearchWorld, type ResearchWorld } from '../support/research/world.ts';

/** The reports in docs/examples/research are what the product writes; `UPDATE=1` writes them anew. */
const folder = join(import.meta.dirname, '../../docs/examples/research');
let world: ResearchWorld;
afterEach(() => world.close());

describe.each(EXAMPLE_WEBS)('the report on the $name', ({ name, query, pages }) => {
  test('is the one in the documentation, on topic, and says nothing twice', async () => {
    world = await createResearchWorld({ pages });
    const { services } = world.engine;
    const input = { query, max_iterations: 1, max_sub_queries: 2 };
    const { report } = await perform(research, input, { call: createCall(services), services });
    const markdown = report?.markdown ?? '';
    const file = join(folder, `${name}.md`);
    if (process.env['UPDATE'] === '1') {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, markdown);
    }
    expect(markdown).toBe(readFileSync(file, 'utf8'));

    const cover = createCover(query);
    const statements = report?.findings.map(({ quote }) => quote) ?? [];
    expect(statements.length).toBeGreaterThan(3);
    expect(statements.filter((quote) => cover.of(quote) < 0.3)).toEqual([]);
    expect(report?.sources.filter(({ url }) => /football|kitchen/.test(url))).toEqual([]);
    const said = markdown.split('## Analysis')[0]?.match(/“[^”]+”/g) ?? [];
    expect(said).toHaveLength(new Set(said).size);
    for (const [, heading = ''] of (markdown.split('## Analysis')[0] ?? '').matchAll(/^### (.+)$/gm))
      expect(cover.of(heading)).toBeGreaterThan(0.2);
  });
});

test('who gives which figure, and when, is a table with the newest source first', async () => {
  const [canal] = EXAMPLE_WEBS;
  world = await createResearchWorld({ pages: canal?.pages ?? [] });
  const { services } = world.engine;
  const { report } = await perform(
    research,
    { query: canal?.query ?? '', max_iterations: 1, max_sub_queries: 1 },
    { call: createCall(services), services },
  );
  expect(report?.figures).toMatchObject([
    [
      { value: expect.stringContaining('42'), site: 'valley-water-board.example' },
      { value: expect.stringContaining('45'), site: 'ribero-archive.example' },
    ],
  ]);
});

test('a question about now is answered by the newest source first', async () => {
  const wall = EXAMPLE_WEBS[1];
  world = await createResearchWorld({ pages: wall?.pages ?? [] });
  const { services } = world.engine;
  const { report } = await perform(
    research,
    { query: wall?.query ?? '', max_iterations: 1, max_sub_queries: 1 },
    { call: createCall(services), services },
  );
  expect(report?.executive_summary[0]?.text).toMatch(/^ferrin-council\.example \(2025-06-30\): /);
});
