import type { LedgerAnswer, LedgerOperation } from './ledger/types.ts';

export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** SQL that both databases understand, with `?` for each value. */
export interface Statement {
  sql: string;
  values?: SqlValue[];
}

/** What Headgate needs from a database. Nothing is opened before the first call. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** The rows of one reading statement, as last committed. */
  read(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Runs the statements in one transaction and resolves after its COMMIT, with the rows of each. */
  write(statements: Statement[]): Promise<Row[][]>;
  /** Decides one step of the ledger and resolves after its COMMIT. Repeating a step with the same id has no further effect. */
  book(operation: LedgerOperation): Promise<LedgerAnswer>;
  /** Writes a copy of the whole database that can be opened by itself, and checks it. */
  backup(path: string): Promise<void>;
  /** What is wrong with the database, in sentences; empty when all is well. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}
