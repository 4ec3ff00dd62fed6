import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { writeResults } from '../../benchmarks/write-results.ts';
import { root } from '../support/packed.ts';

const SKIPPED = new Set(['node_modules', 'dist', 'package', '.git', 'fixtures']);
const pages = walk(root).filter((file) => file.endsWith('.md'));
const read = (file: string): string => readFileSync(file, 'utf8');
const named = (file: string): string => relative(root, file);

describe('the documentation', () => {
  test('is really read: a check that sees nothing would pass', () => {
    expect(pages.length).toBeGreaterThan(30);
  });

  test('has no dead link to a file or a heading', () => {
    const dead = pages.flatMap((page) =>
      linksIn(read(page))
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => !isAlive(page, link))
        .map((link) => `${named(page)}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('lists every guide, operating page and reference page in its index', () => {
    const index = new Set(
      linksIn(read(join(root, 'docs/README.md'))).map((link) =>
        resolve(root, 'docs', link.split('#')[0] ?? ''),
      ),
    );
    const listed = pages.filter((page) => /^docs\/(?!decisions\/|README)/.test(named(page)));
    expect(listed.filter((page) => !index.has(page)).map(named)).toEqual([]);
  });

  test('ends every page with what to read next', () => {
    const ending = pages.filter((page) => /^docs\/(?!decisions\/|examples\/)/.test(named(page)));
    const last = (page: string): string => read(page).trim().split('\n').at(-1) ?? '';
    const without = ending.filter((page) => !/^(?:Next: |次に読む: )\[.+\]\(.+\)/.test(last(page)));
    expect(without.map(named)).toEqual([]);
  });

  test('has a README that is read in a minute, and indexes for language models that fit', () => {
    expect(read(join(root, 'README.md')).split('\n').length).toBeLessThan(120);
    const llms = read(join(root, 'llms.txt'));
    expect(encode(llms).length).toBeLessThan(2_000);
    const links = linksIn(llms);
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((link) => !isAlive(join(root, 'llms.txt'), link))).toEqual([]);
  });

  test('tells nobody to run the package from npm, where it is not published', () => {
    const wrong = pages.filter((page) =>
      /npx (?:-\S+ )*headgate|npm (?:i|install)(?: -\S+)* headgate\b/.test(read(page)),
    );
    expect(wrong.map(named)).toEqual([]);
  });

  test('names only tests that exist, with scenarios that they cover', () => {
    const security = read(join(root, 'docs/security.md'));
    const claims = [...security.matchAll(/`((?:src|tests)\/[^`]+?)`(?: \(([^)]+)\))?/g)];
    expect(claims.length).toBeGreaterThan(15);
    const wrong = claims.flatMap(([, path = '', scenarios = '']) => {
      if (!existsSync(join(root, path))) return [path];
      const text = statSync(join(root, path)).isFile() ? read(join(root, path)) : '';
      return scenarios
        .split(', ')
        .filter((scenario) => /^[FL]\d+$/.test(scenario) && !new RegExp(`\\b${scenario}\\b`).test(text))
        .map((scenario) => `${path} (${scenario})`);
    });
    expect(wrong).toEqual([]);
  });

  test('of the architecture names only files that are there', () => {
    const page = read(join(root, 'ARCHITECTURE.md'));
    const paths = [...page.matchAll(/`((?:src|tests|docs|scripts|benchmarks)\/[^`<]*)`/g)].map(
      (match) => match[1] ?? '',
    );
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('shows the measurements that are kept, not older ones', () => {
    expect(writeResults(true)).toEqual([]);
  });
});

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (SKIPPED.has(name)) return [];
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

/** Where the links and pictures of a page lead; what stands in code is not a link. */
function linksIn(text: string): string[] {
  const prose = text.replace(/```[^]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return [
    ...[...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? ''),
    ...[...prose.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map((match) => match[1] ?? ''),
  ];
}

function isAlive(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const file = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(file)) return false;
  if (heading === undefined || !file.endsWith('.md')) return true;
  return [...read(file).matchAll(/^#+ (.+)$/gm)].some((match) => anchorOf(match[1] ?? '') === heading);
}

/** A heading's name in links, as forges make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
