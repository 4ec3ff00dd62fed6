import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { cleanText, oneLine } from '../core/text.ts';
import type { Database, DatabaseRow } from './database.ts';

/** Reads a text column. */
export const textColumn = (row: DatabaseRow, column: string): string => String(row[column]);

/** Reads a nullable text column. */
export const textOrNull = (row: DatabaseRow, column: string): string | null => {
  const value = row[column];
  return value === null || value === undefined ? null : String(value);
};

/**
 * Reads an integer column. PostgreSQL sends big integers as strings; values beyond the safe range are
 * refused.
 */
export function integerColumn(row: DatabaseRow, column: string): number {
  const value = Number(row[column]);
  if (Number.isSafeInteger(value)) return value;
  throw new HeadgateError('internal', own`The stored value of ${named(column)} is not an exact integer.`);
}

export const integerOrNull = (row: DatabaseRow, column: string): number | null =>
  row[column] === null || row[column] === undefined ? null : integerColumn(row, column);

export const flagColumn = (row: DatabaseRow, column: string): boolean => integerColumn(row, column) === 1;

type ReadColumn<Value> = (row: DatabaseRow, column: string) => Value;

/** Reads a column that has another name than its field. */
export const from =
  <Value>(column: string, read: ReadColumn<Value>): ReadColumn<Value> =>
  (row) =>
    read(row, column);

/** Reads a text column that holds one of a few words. */
export const wordColumn = <Word extends string>(): ReadColumn<Word> => textColumn as ReadColumn<Word>;

/** Reads a text column that holds JSON. */
export const jsonColumn =
  <Value>(): ReadColumn<Value> =>
  (row, column) =>
    JSON.parse(textColumn(row, column)) as Value;

/** Reads rows as objects. How each field is read also says its type: `type Agent = ReturnType<typeof toAgent>`. */
export function rowReader<Fields extends Record<string, ReadColumn<unknown>>>(fields: Fields) {
  const readers = Object.entries(fields);
  return (row: DatabaseRow): { [Field in keyof Fields]: ReturnType<Fields[Field]> } => {
    const read: Record<string, unknown> = {};
    for (const [field, readField] of readers) read[field] = readField(row, field);
    return read as { [Field in keyof Fields]: ReturnType<Fields[Field]> };
  };
}

/** A new ID such as `ws_1k2f…`: sorted by creation time, with enough randomness not to collide. */
export function newId(prefix: string, now: number): string {
  // Node prefetches the randomness of UUIDs, so a call does not wait for the system. These parts of one are
  // all random.
  const random = randomUUID();
  return `${prefix}_${now.toString(36).padStart(9, '0')}${random.slice(0, 8)}${random.slice(24, 32)}`;
}

/** Validates a name or ID that somebody chose: one line of printable text within bounds. */
export function checkedName(value: string, what: string): string {
  const name = oneLine(value);
  if (name !== '' && name.length <= LIMITS.meterNameCharsMax && name === cleanText(value)) return name;
  throw new HeadgateError(
    'invalid_request',
    own`${named(what)}: one line of 1–${LIMITS.meterNameCharsMax} printable characters.`,
    { remediation: own`Choose a shorter or plainer ${named(what)}.` },
  );
}

/** A pattern for `LIKE ? ESCAPE '!'` that finds these words anywhere. */
export const likeText = (text: string): string =>
  `%${text.toLowerCase().replace(/[!%_]/g, (sign) => `!${sign}`)}%`;

/** The rows of a table, oldest first; only those of these owners when `ids` is given. */
export function listRows(
  database: Database,
  table: string,
  owner?: { column: string; ids: string | readonly string[] | undefined },
  key = 'id',
): Promise<DatabaseRow[]> {
  const end = `ORDER BY created, ${key} LIMIT ?`;
  if (owner?.ids === undefined) return database.read(`SELECT * FROM ${table} ${end}`, LIMITS.storeRowsMax);
  const ids = [owner.ids].flat();
  const where = `WHERE ${isIn(owner.column, ids)}`;
  return database.read(`SELECT * FROM ${table} ${where} ${end}`, ...ids, LIMITS.storeRowsMax);
}

/** A condition that a column has one of these values. */
export const isIn = (column: string, values: readonly unknown[]): string =>
  values.length === 0 ? '1 = 0' : `${column} IN (${values.map(() => '?').join(', ')})`;

/** The row with this ID, or `not_found`. */
export async function rowById(
  database: Database,
  table: string,
  id: string,
  what: string,
): Promise<DatabaseRow> {
  const [row] = await database.read(`SELECT * FROM ${table} WHERE id = ?`, id);
  if (row !== undefined) return row;
  throw new HeadgateError('not_found', own`There is no ${named(what)} ${named(id)}.`, {
    remediation: own`List them with \`headgate ${named(what)} list\` to see the ids.`,
  });
}
