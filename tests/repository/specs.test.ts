import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Every text file that git knows, without what is generated, recorded or downloaded. */
const texts = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:ts|mjs|js|md|sh|yml|yaml|css|html|py)$|^\.ci\//.test(path))
  .filter((path) => !path.includes('/fixtures/') && existsSync(join(root, path)))
  .map((path) => ({ path, text: read(path) }));

const pages = readdirSync(join(root, 'docs/specs'))
  .filter((name) => name !== 'README.md')
  .map((name) => name.replace(/\.md$/, ''));

describe('specifications', () => {
  /** The numbers of headings, and the identifiers in the first column of tables. */
  const rulesOf = (page: string): Set<string> =>
    new Set(
      [
        ...read(`docs/specs/${page}.md`).matchAll(/^#+ (\d+(?:\.\d+)?) |^\| (US\d-\d|FR-\d+|SC-\d+) \|/gm),
      ].map((match) => match[1] ?? match[2] ?? ''),
    );
  const rules = new Map(pages.map((page) => [page, rulesOf(page)]));
  const cited = (page: string, text: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${page} spec (\\d+(?:\\.\\d+)?|US\\d-\\d|FR-\\d+|SC-\\d+)`, 'g'))].map(
      (match) => match[1] ?? '',
    );

  test.each(pages)('%s: every rule that is cited exists', (page) => {
    const known = rules.get(page) ?? new Set();
    const citations = texts.flatMap(({ path, text }) =>
      cited(page, text).map((rule) => [path, rule] as const),
    );
    expect(known.size).toBeGreaterThan(8);
    expect(citations.length).toBeGreaterThan(2);
    expect(citations.filter(([, rule]) => !known.has(rule))).toEqual([]);
  });

  test('the short citations of two test files exist', () => {
    const short: [path: string, page: string, pattern: RegExp][] = [
      ['src/toolsets/compat/tavily-ja/tavily-ja.test.ts', 'tavily-ja', /§(\d+\.\d+)/g],
      ['tests/bridge/conversion.test.ts', 'bridge', /\b(US\d-\d|FR-\d+|SC-\d+)\b/g],
      ['tests/clients/bridge-claude-agent.test.ts', 'bridge', /\b(US\d-\d|FR-\d+|SC-\d+)\b/g],
      ['src/bridge/deps.test.ts', 'bridge', /\b(US\d-\d|FR-\d+|SC-\d+)\b/g],
    ];
    for (const [path, page, pattern] of short) {
      const numbers = [...read(path).matchAll(pattern)].map((match) => match[1] ?? '');
      expect(numbers.length).toBeGreaterThan(0);
      expect(numbers.filter((rule) => rules.get(page)?.has(rule) !== true)).toEqual([]);
    }
  });

  test('every rule of the bridge is cited by a test', () => {
    const text = ['tests/bridge/conversion.test.ts', 'tests/clients/bridge-claude-agent.test.ts']
      .map(read)
      .join();
    const named = [...(rules.get('bridge') ?? [])].filter((rule) => /^[A-Z]/.test(rule));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((rule) => !new RegExp(`\\b${rule}\\b`).test(text))).toEqual([]);
  });
});

test('the glossary has its terms each once, with places that exist', () => {
  const terms = read('docs/glossary.md').split('\n## Renames\n')[0] ?? '';
  const rows = [...terms.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].filter(
    ([, term]) => !/^(term|-+)$/.test(term ?? ''),
  );
  expect(rows.length).toBeGreaterThan(30);
  expect(new Set(rows.map(([, term]) => term)).size).toBe(rows.length);
  const places = rows.flatMap(([, , , where = '']) =>
    [...where.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
  );
  expect(places.length).toBeGreaterThanOrEqual(rows.length);
  expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
});

describe('provenance', () => {
  test('cites no document that is not in the repository', () => {
    // A random seed is a number in code; a document of that name, or a numbered issue, is not to be found here.
    const foreign = /\bseeds? 0\d\d\b|\b(?:the|beyond the|this) seeds?(?:'s)?\b|\bissue #?\d+\b/i;
    const own = 'tests/repository/specs.test.ts';
    const wrong = texts.filter(({ path, text }) => path !== own && foreign.test(text));
    expect(wrong.map(({ path, text }) => `${path}: ${foreign.exec(text)?.[0]}`)).toEqual([]);
  });
});
