export interface Column<Row> {
  title: string;
  value(row: Row): string | number | null;
  align?: 'right';
  /** The total, for columns that have one. */
  total?(rows: Row[]): string;
}

/** A time in UTC: its day, or up to the minute or the second; null when there is none. */
export const timeText = (at: number | null, to: 'day' | 'minute' | 'second'): string | null =>
  at === null
    ? null
    : new Date(at).toISOString().slice(0, { day: 10, minute: 16, second: 19 }[to]).replace('T', ' ');

/** Renders an aligned table with a rule and totals. */
export function renderTable<Row>(rows: Row[], columns: Column<Row>[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`;
  const head = columns.map((column) => column.title);
  const body = rows.map((row) => columns.map((column) => String(column.value(row) ?? '–')));
  const hasTotals = rows.length > 1 && columns.some((column) => column.total !== undefined);
  const foot = hasTotals
    ? [columns.map((column, index) => column.total?.(rows) ?? (index === 0 ? 'total' : ''))]
    : [];
  const widths = columns.map((_, index) =>
    Math.max(...[head, ...body, ...foot].map((line) => line[index]?.length ?? 0)),
  );
  const line = (cells: string[]): string =>
    cells
      .map((cell, index) =>
        columns[index]?.align === 'right'
          ? cell.padStart(widths[index] ?? 0)
          : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return `${[line(head), rule, ...body.map(line), ...(hasTotals ? [rule, ...foot.map(line)] : [])].join('\n')}\n`;
}
