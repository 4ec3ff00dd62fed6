import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The rows of docs/faults.md: number → the files that the last column names. */
const rows = new Map(
  [...read('docs/faults.md').matchAll(/^\| ([FL]\d+) \|.*\| ([^|]+) \|$/gm)].map(
    ([, number = '', tests = '']) => [
      number,
      [...tests.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
    ],
  ),
);

/** The numbers that a text cites: at the start of a test's name or comment, in lists, ranges and parentheses. */
function citedIn(text: string): string[] {
  const lists = [...text.matchAll(/(?:['`(*/]\s*|\s)((?:[FL]\d{1,2}(?:, |–))*[FL]\d{1,2})(?=[:),]| \()/g)];
  return lists.flatMap(([, list = '']) => list.split(/, |–/));
}

const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'src', 'tests', 'docs', 'benchmarks'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => /\.(?:ts|md)$/.test(path) && existsSync(join(root, path)))
  .filter((path) => path !== 'tests/repository/faults.test.ts');

test('docs/faults.md has the faults F1 to F66, each once', () => {
  const faults = [...rows.keys()].filter((number) => number.startsWith('F'));
  expect(faults).toEqual(Array.from({ length: 66 }, (_, index) => `F${index + 1}`));
});

test('every number that is cited has a row', () => {
  const cited = files.flatMap((path) => citedIn(read(path)).map((number) => ({ path, number })));
  expect(cited.length).toBeGreaterThan(150);
  expect(cited.filter(({ number }) => !rows.has(number))).toEqual([]);
});

test('every row names files that are there and have a test of its number', () => {
  const wrong = [...rows].flatMap(([number, paths]) =>
    (paths.length === 0 ? ['nothing'] : paths)
      .filter((path) => !existsSync(join(root, path)) || !citedIn(read(path)).includes(number))
      .map((path) => `${number}: ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('every test that cites a number is named in its row', () => {
  const missing = files
    .filter((path) => /\.test\.ts$|tests\/support\/.*contract\.ts$/.test(path))
    .flatMap((path) => citedIn(read(path)).map((number) => ({ path, number })))
    .filter(({ path, number }) => rows.get(number)?.includes(path) === false);
  expect(missing).toEqual([]);
});
