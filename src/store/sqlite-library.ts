// The two SQLite bindings Headgate can use: Node's own where there is one, libsql on Node 20. Both are synchronous.
import { createRequire } from 'node:module';
import { HeadgateError } from '../core/errors.ts';
import type { Row, SqlValue } from './database.ts';

export interface SqliteStatement {
  all(...values: SqlValue[]): Row[];
  /** The first row, at a third of the cost of `all`. */
  get(...values: SqlValue[]): Row | undefined;
  run(...values: SqlValue[]): void;
}

/** The part of a SQLite connection that Headgate uses. */
export interface SqliteFile {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

interface LibsqlStatement {
  all(values: SqlValue[]): Row[];
  get(values: SqlValue[]): Row | undefined;
}

interface Library {
  new (path: string): SqliteFile;
}

/** Opens a database file with whichever binding this Node has. */
export function openSqliteFile(path: string): SqliteFile {
  const Node = nodeLibrary();
  if (Node !== undefined) return new Node(path);
  const file = new (libsqlLibrary())(path);
  return {
    exec: (sql) => file.exec(sql),
    close: () => file.close(),
    prepare: (sql) => libsqlStatement(() => file.prepare(sql) as unknown as LibsqlStatement),
  };
}

/**
 * libsql's own `run` costs twice as much as its `get`, which carries a statement out just as well; both take the values as one array
 * a quarter faster than one by one. `get` resets the statement after itself, but not when it throws: a statement
 * that was not reset would silently keep the values of the last time, so it is thrown away.
 */
function libsqlStatement(prepare: () => LibsqlStatement): SqliteStatement {
  let single = prepare();
  let listing: LibsqlStatement | undefined;
  const get = (...values: SqlValue[]): Row | undefined => {
    try {
      return single.get(values);
    } catch (thrown) {
      single = prepare();
      throw thrown;
    }
  };
  return {
    get,
    run: (...values) => void get(...values),
    all: (...values) => {
      // What `all` leaves behind must not meet `get`, hence a statement of its own.
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

function nodeLibrary(): Library | undefined {
  const builtin = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: Library } | undefined;
  return builtin?.DatabaseSync;
}

function libsqlLibrary(): Library {
  try {
    return createRequire(import.meta.url)('libsql') as Library;
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
