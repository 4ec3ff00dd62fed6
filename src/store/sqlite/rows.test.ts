import { expect, test } from 'vitest';
import type { SqlValue } from '../database.ts';
import { openSqliteFile } from './driver.ts';
import { prepareRows } from './rows.ts';

const COLUMNS = ['id', 'name', 'amount'] as const;
const row = (id: string, name: SqlValue, amount: number) => ({ id, name, amount });

function newTable() {
  const file = openSqliteFile(':memory:');
  file.exec('CREATE TABLE things (id TEXT PRIMARY KEY, name TEXT, amount INTEGER) STRICT');
  const write = prepareRows(file, COLUMNS, (expressions, from) => {
    const values = COLUMNS.map((column) => expressions[column]).join(', ');
    return from === undefined
      ? `INSERT INTO things VALUES (${values})`
      : `INSERT INTO things SELECT ${values} FROM ${from}`;
  });
  return { write, all: () => file.prepare('SELECT * FROM things ORDER BY id').all() };
}

test.each([
  { what: 'one row', rows: [row('a', null, 1)] },
  {
    what: 'rows that differ in one column',
    rows: [row('a', "it's", 7), row('b', "it's", 7), row('c', "it's", 7)],
  },
  {
    what: 'rows that differ in every column, with the largest amount and odd names',
    rows: [
      row('a', null, Number.MAX_SAFE_INTEGER),
      row('b', '"]', -1),
      row('c', '', 0),
      row('d', '日本\n', 2),
    ],
  },
  { what: 'nothing', rows: [] },
])('what is written is what was given: $what', ({ rows }) => {
  const { write, all } = newTable();
  write(rows);
  expect(all()).toEqual(rows);
});

test('a batch of another shape after the first is written with its own values', () => {
  const { write, all } = newTable();
  const first = [row('a', 'x', 1), row('b', 'x', 1), row('c', 'x', 1)];
  const second = [row('d', 'y', 2), row('e', 'z', 2), row('f', null, 2)];
  const third = [row('g', 'w', 3), row('h', 'w', 3), row('i', 'w', 3)];
  for (const rows of [first, second, third]) write(rows);
  expect(all()).toEqual([...first, ...second, ...third]);
});
