import type { CallRow } from '../core/call-row.ts';
import type { LedgerAnswer, LedgerOperation } from './ledger/types.ts';

export type SqlValue = string | number | null;
export type DatabaseRow = Record<string, SqlValue>;

/** SQL that both databases understand, with `?` for each value. */
export interface SqlStatement {
  sql: string;
  values?: SqlValue[];
}

/** A statement with its values in their places. */
export const sql = (words: TemplateStringsArray, ...values: SqlValue[]): SqlStatement => ({
  sql: words.join('?'),
  values,
});

/** What Headgate needs of a database. Nothing is opened before the first call. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** The rows of a reading statement, as last committed. */
  read(sql: string, ...values: SqlValue[]): Promise<DatabaseRow[]>;
  /** Runs the statements in one transaction. Resolves after its COMMIT, with the rows of each. */
  write(statements: SqlStatement[]): Promise<DatabaseRow[][]>;
  /**
   * Decides one step of the ledger and resolves after its COMMIT. Repeating a step with the same ID has no
   * further effect.
   */
  book(operation: LedgerOperation): Promise<LedgerAnswer>;
  /** Adds rows to the call log and resolves after the COMMIT. */
  log(rows: CallRow[]): Promise<void>;
  /** Writes a copy of the whole database that can be opened, and checks it. */
  backup(path: string): Promise<void>;
  /** Problems of the database, one sentence each; empty when there are none. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}
