import type { SqlValue } from './database.ts';

/** Which columns have one value in all rows of a batch, and which do not. */
export interface RowShape<Column extends string> {
  shared: Column[];
  differing: Column[];
}

/** The rows of a batch have most of their values in common: the hour, the provider, the price … */
export function rowShape<Column extends string>(
  rows: readonly Readonly<Record<Column, SqlValue>>[],
  columns: readonly Column[],
): RowShape<Column> {
  const shared: Column[] = [];
  const differing: Column[] = [];
  const [first] = rows;
  for (const column of columns) {
    const isShared = rows.every((row) => row[column] === first?.[column]);
    (isShared ? shared : differing).push(column);
  }
  return { shared, differing };
}
