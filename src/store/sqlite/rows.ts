import type { SqlValue } from '../database.ts';
import { rowShape } from '../row-shape.ts';
import type { SqliteFile, SqliteStatement } from './driver.ts';

/** From this many rows on, one JSON text is cheaper than binding the values of each row. */
const MANY_ROWS = 3;
/** The set of differing columns varies little; the bound guards against mistakes. */
const SHAPES_MAX = 64;

/** Writes rows with the given columns. */
export type WriteRows<Column extends string> = (rows: readonly Readonly<Record<Column, SqlValue>>[]) => void;

/**
 * Prepares a statement for rows of one table. `sqlOf` builds it from one SQL expression per column and, for
 * many rows, from the table expression that lists them. Values that all rows share are bound once; only what
 * differs is passed as JSON, because every value that crosses costs as much as an index look-up.
 */
export function prepareRows<Column extends string>(
  file: SqliteFile,
  columns: readonly Column[],
  sqlOf: (expressions: Record<Column, string>, from: string | undefined) => string,
): WriteRows<Column> {
  const one = file.prepare(
    sqlOf(
      expressionsOf(columns, () => '?'),
      undefined,
    ),
  );
  const many = new Map<string, SqliteStatement>();
  const statementFor = (differing: readonly Column[]): SqliteStatement => {
    const shape = differing.join();
    const known = many.get(shape);
    if (known !== undefined) return known;
    if (many.size >= SHAPES_MAX) many.clear();
    let bound = 1;
    const expressions = expressionsOf(columns, (column) => {
      const index = differing.indexOf(column);
      if (index === -1) return `?${++bound}`;
      return differing.length === 1 ? 'it.value' : `it.value ->> ${index}`;
    });
    const statement = file.prepare(sqlOf(expressions, 'json_each(?1) AS it'));
    many.set(shape, statement);
    return statement;
  };
  return (rows) => {
    const [first] = rows;
    if (first === undefined) return;
    if (rows.length < MANY_ROWS) {
      for (const row of rows) one.run(...columns.map((column) => row[column]));
      return;
    }
    const { shared, differing } = rowShape(rows, columns);
    const [only] = differing;
    const listed =
      only !== undefined && differing.length === 1
        ? rows.map((row) => row[only])
        : rows.map((row) => differing.map((column) => row[column]));
    statementFor(differing).run(JSON.stringify(listed), ...shared.map((column) => first[column]));
  };
}

const expressionsOf = <Column extends string>(
  columns: readonly Column[],
  expressionOf: (column: Column) => string,
): Record<Column, string> =>
  Object.fromEntries(columns.map((column) => [column, expressionOf(column)])) as Record<Column, string>;
