import type { LedgerAnswer, LedgerOperation } from './ledger/types.ts';

export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** SQL that both databases understand, with `?` for each value. */
export interface Statement {
  sql: string;
  values?: SqlValue[];
}

/** What was decided under the account's lock while its commit is still running. */
export interface EarlyAnswer {
  answer: LedgerAnswer;
  /** The answer once it is committed; rejects when it was not. Nothing may be delivered before. */
  committed: Promise<LedgerAnswer>;
}

/** What Headgate needs from a database. Nothing is opened before the first call. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** The rows of one reading statement, as last committed. */
  read(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Runs the statements in one transaction and resolves after its COMMIT, with the rows of each. */
  write(statements: Statement[]): Promise<Row[][]>;
  /** Decides and books one step of the ledger. Repeating a step with the same id has no further effect. */
  book(operation: LedgerOperation): Promise<LedgerAnswer>;
  /** The same, told as soon as it is decided: work may begin while the disk is still writing. */
  bookEarly(operation: LedgerOperation): Promise<EarlyAnswer>;
  /** Writes a copy of the whole database that can be opened by itself, and checks it. */
  backup(path: string): Promise<void>;
  /** What is wrong with the database, in sentences; empty when all is well. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}
