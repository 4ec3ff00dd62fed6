import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { createLibrary, type Libraries } from '../../src/library/library.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-library-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const documentOf = (id: string, content: string) => ({
  id,
  url: `https://example.com/${id}`,
  title: id,
  content,
  format: 'markdown' as const,
  kind: 'page' as const,
});

describe("the documentation of this project's own dependencies", () => {
  let library: Libraries;
  let ms = 0;
  let added = 0;
  beforeAll(async () => {
    library = createLibrary({ folder: join(folder, 'own'), clock: createTestClock() });
    const started = performance.now();
    ({ added } = await library.addNodeModules(resolve(import.meta.dirname, '../..')));
    ms = performance.now() - started;
  }, 120_000);
  afterAll(() => library.close());

  test('is indexed in under a minute', () => {
    expect(added).toBeGreaterThan(200);
    expect(ms).toBeLessThan(60_000);
  });

  test.each([
    ['validate data with a schema and infer its TypeScript type', 'zod'],
    ['property based testing with arbitraries', 'fast-check'],
    ['web framework on web standards for Cloudflare Workers, Deno and Bun', 'hono'],
    ['extremely fast JavaScript bundler', 'esbuild'],
    ['parse a TOML file', 'smol-toml'],
    ['HTTP client with connection pool and dispatcher', 'undici'],
    ['PostgreSQL client for node', 'pg'],
    ['extract text from a PDF', 'unpdf'],
    ['find unused files, dependencies and exports', 'knip'],
    ['count tokens for GPT models', 'gpt-tokenizer'],
    ['undcii agent', 'undici'],
  ])('%s → %s', async (question, name) => {
    const { hits } = await library.search({ text: question, resultsMax: 5 });
    expect(hits[0]?.package).toBe(name);
    expect(hits[0]?.version).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('a library in its threads', () => {
  test('adds, finds, lists, counts and forgets', async () => {
    const library = createLibrary({ folder: join(folder, 'small'), clock: createTestClock() });
    expect(await library.search({ text: 'water', resultsMax: 3 })).toMatchObject({ hits: [], warnings: [] });
    await library.add([documentOf('a', 'water in the canal'), documentOf('b', 'water in the river')]);
    expect((await library.search({ text: 'canal', resultsMax: 3 })).hits.map(({ id }) => id)).toEqual(['a']);
    expect((await library.list()).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await library.remove({ ids: ['a'] })).toBe(1);
    expect(await library.stats()).toMatchObject({ documents: 1, damaged: [] });
    await library.close();
  });

  test('a cancelled search is refused, and two libraries can write one folder', async () => {
    const place = { folder: join(folder, 'shared'), clock: createTestClock() };
    const [first, second] = [createLibrary(place), createLibrary(place)];
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? first : second).add([documentOf(`page${at}`, 'water')]),
      ),
    );
    expect((await first.search({ text: 'water', resultsMax: 10 })).hits).toHaveLength(6);
    await expect(first.search({ text: 'water', resultsMax: 1 }, AbortSignal.abort())).rejects.toThrow(
      /abort/i,
    );
    await Promise.all([first.close(), second.close()]);
  });

  test('a damaged segment is said, rebuilt in the background and found again', async () => {
    const place = join(folder, 'damaged');
    const before = createLibrary({ folder: place, clock: createTestClock() });
    await before.add([documentOf('a', 'water')]);
    await before.close();
    const index = join(place, readdirSync(place).find((file) => file.endsWith('.index')) ?? '');
    const bytes = readFileSync(index);
    bytes[30] = (bytes[30] ?? 0) ^ 1;
    writeFileSync(index, bytes);
    const library = createLibrary({ folder: place, clock: createTestClock() });
    const answer = await library.search({ text: 'water', resultsMax: 3 });
    expect(answer).toMatchObject({ hits: [], warnings: [expect.stringContaining('is damaged')] });
    // The writing thread answers in order, so this waits for the repair.
    await library.remove({ ids: [] });
    expect((await library.search({ text: 'water', resultsMax: 3 })).hits).toHaveLength(1);
    await library.close();
  });
});

test('where nothing was ever added, a search finds nothing and writes nothing', async () => {
  const place = join(folder, 'never');
  const library = createLibrary({ folder: place, clock: createTestClock() });
  try {
    expect(await library.of('workspace').search({ text: 'tides', resultsMax: 5 })).toMatchObject({
      hits: [],
    });
    expect(existsSync(place)).toBe(false);
    // What is added afterwards is found.
    await library.add([documentOf('mill', 'A mill that the tides drive.')]);
    expect((await library.search({ text: 'tides', resultsMax: 5 })).hits).toHaveLength(1);
  } finally {
    await library.close();
  }
});
