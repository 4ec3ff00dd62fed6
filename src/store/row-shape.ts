import type { SqlValue } from './database.ts';

/** Which columns have the same value in all rows of a batch, and which differ. */
export interface RowShape<Column extends string> {
  shared: Column[];
  differing: Column[];
}

/** Compares the rows of a batch, which share most values: the hour, the provider, the price … */
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
