import type { LedgerEntry } from './reports.ts';

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

/** The ledger as a spreadsheet reads it: this line, then one per entry. Amounts are millionths of a dollar. */
export const LEDGER_CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

export const ledgerCsvLine = (entry: LedgerEntry): string =>
  `${COLUMNS.map((column) => cellOf(column === 'at' ? new Date(entry.at).toISOString() : entry[column])).join(',')}\r\n`;

/** Quoted, and harmless in a spreadsheet: text that begins like a formula gets an apostrophe. */
function cellOf(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
