import type { LedgerEntry } from './ledger-pages.ts';

const COLUMNS = [
  'seq',
  'at',
  'subscription',
  'kind',
  'amount',
  'balance',
  'reference',
  'workspace',
  'agent',
  'key',
  'provider',
  'category',
  'note',
] as const satisfies (keyof LedgerEntry)[];

/** The ledger as a spreadsheet reads it: the head, then one line per entry. Amounts are millionths of a dollar. */
export const ledgerCsvLine = (entry: LedgerEntry): string =>
  csvLine(COLUMNS.map((column) => (column === 'at' ? new Date(entry.at).toISOString() : entry[column])));

/** One line of a spreadsheet. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(',')}\r\n`;

export const LEDGER_CSV_HEAD = csvLine(COLUMNS);

/** Quoted, and harmless in a spreadsheet: text that begins like a formula gets an apostrophe. */
function cellOf(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
