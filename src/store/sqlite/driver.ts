// The two SQLite drivers that Headgate can use: Node's own where available, libsql on Node 20. Both are
// synchronous.
import { createRequire } from 'node:module';
import { HeadgateError } from '../../core/errors.ts';
import type { DatabaseRow, SqlValue } from '../database.ts';
import { privateFile } from './private-files.ts';

export interface SqliteStatement {
  all(...values: SqlValue[]): DatabaseRow[];
  /** The first row, at a third of the cost of `all`. */
  get(...values: SqlValue[]): DatabaseRow | undefined;
  /** The first column of the first row, at half the cost of `get`. */
  value(...values: SqlValue[]): SqlValue | undefined;
  run(...values: SqlValue[]): void;
}

/** The part of a SQLite connection that Headgate uses. */
export interface SqliteFile {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

interface NodeFile extends Omit<SqliteFile, 'prepare'> {
  prepare(sql: string): Omit<SqliteStatement, 'value'>;
}

interface LibsqlStatement {
  all(values: SqlValue[]): DatabaseRow[];
  get(values: SqlValue[]): DatabaseRow | SqlValue[] | undefined;
  /** Returns rows as arrays from now on. */
  raw(): LibsqlStatement;
}

interface LibsqlFile extends Omit<SqliteFile, 'prepare'> {
  prepare(sql: string): LibsqlStatement;
}

interface Library<File> {
  new (path: string): File;
}

/** Opens a database file with the driver of this Node version. */
export function openSqliteFile(path: string): SqliteFile {
  privateFile(path);
  const Node = nodeLibrary();
  if (Node !== undefined) return nodeFile(new Node(path));
  const file = new (libsqlLibrary())(path);
  return {
    exec: (sql) => file.exec(sql),
    close: () => file.close(),
    prepare: (sql) => libsqlStatement(() => file.prepare(sql)),
  };
}

function nodeFile(file: NodeFile): SqliteFile {
  return {
    exec: (sql) => file.exec(sql),
    close: () => file.close(),
    prepare: (sql) => {
      const statement = file.prepare(sql);
      return {
        all: (...values) => statement.all(...values),
        get: (...values) => statement.get(...values),
        run: (...values) => statement.run(...values),
        value: (...values) => {
          const row = statement.get(...values);
          return row === undefined ? undefined : Object.values(row)[0];
        },
      };
    },
  };
}

/**
 * libsql's `run` costs twice as much as its `get`, which executes a statement just as well, and an array of
 * values is a quarter faster than single ones. `get` resets the statement, but not when it throws; a
 * statement that was not reset would silently keep its old values, so it is discarded.
 */
function libsqlStatement(prepare: () => LibsqlStatement): SqliteStatement {
  const single = reset(prepare);
  let bare: ReturnType<typeof reset> | undefined;
  let listing: LibsqlStatement | undefined;
  return {
    get: (...values) => single(values) as DatabaseRow | undefined,
    run: (...values) => void single(values),
    value: (...values) => {
      bare ??= reset(() => prepare().raw());
      return (bare(values) as SqlValue[] | undefined)?.[0];
    },
    all: (...values) => {
      // `all` leaves state behind that must not affect `get`, so it has its own statement.
      listing ??= prepare();
      try {
        return listing.all(values);
      } catch (thrown) {
        listing = undefined;
        throw thrown;
      }
    },
  };
}

function reset(prepare: () => LibsqlStatement): (values: SqlValue[]) => ReturnType<LibsqlStatement['get']> {
  let statement = prepare();
  return (values) => {
    try {
      return statement.get(values);
    } catch (thrown) {
      statement = prepare();
      throw thrown;
    }
  };
}

function nodeLibrary(): Library<NodeFile> | undefined {
  const builtin = process.getBuiltinModule?.('node:sqlite') as
    | { DatabaseSync: Library<NodeFile> }
    | undefined;
  return builtin?.DatabaseSync;
}

function libsqlLibrary(): Library<LibsqlFile> {
  try {
    return createRequire(import.meta.url)('libsql') as Library<LibsqlFile>;
  } catch (cause) {
    throw new HeadgateError(
      'storage_unavailable',
      'This Node has no SQLite and the libsql package is missing.',
      {
        remediation: 'Use Node 22.13 or newer, run `npm install libsql`, or configure PostgreSQL.',
        cause,
      },
    );
  }
}
