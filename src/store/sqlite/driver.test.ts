import { expect, test } from 'vitest';
import { openSqliteFile } from './driver.ts';

test('a statement that failed takes the values of its next call, not those of its last', () => {
  const file = openSqliteFile(':memory:');
  file.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY CHECK (n <> 2))');
  const insert = file.prepare('INSERT INTO numbers VALUES (?)');
  insert.run(1);
  expect(() => insert.run(2)).toThrow(/constraint/i);
  insert.run(3);
  expect(() => insert.run(1)).toThrow(/constraint/i);
  insert.run(4);
  expect(file.prepare('SELECT n FROM numbers ORDER BY n').all()).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
});

test('one statement may be asked for its first row, for all rows and to be carried out, in any order', () => {
  const file = openSqliteFile(':memory:');
  file.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)');
  const insert = file.prepare('INSERT INTO numbers VALUES (?) RETURNING n');
  insert.run(1);
  expect(insert.all(2)).toEqual([{ n: 2 }]);
  expect(insert.get(3)?.n).toBe(3);
  insert.run(4);
  expect(insert.all(5)).toEqual([{ n: 5 }]);
  const above = file.prepare('SELECT n FROM numbers WHERE n > ? ORDER BY n');
  expect(above.get(2)?.n).toBe(3);
  expect(above.all(3)).toEqual([{ n: 4 }, { n: 5 }]);
  expect(above.get(4)?.n).toBe(5);
  expect(above.value(4)).toBe(5);
  expect(above.value(5)).toBeUndefined();
});
