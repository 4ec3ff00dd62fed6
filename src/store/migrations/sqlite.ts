import type { Dialect, Migration } from '../migration.ts';
import { sqliteBudgetUseMigration } from './budgets.ts';
import { migrationsOf } from './common.ts';
import { sqliteUnitOfWorkMigration } from './unit-of-work.ts';

const SQLITE: Dialect = {
  integer: 'INTEGER',
  small: 'INTEGER',
  sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  end: ' STRICT',
  keyed: ', WITHOUT ROWID',
  fill: () => '',
};

const COMMITS = `CREATE TABLE commits (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL
) STRICT;
INSERT INTO commits VALUES (1, 0);
`;

export const SQLITE_MIGRATIONS: Migration[] = migrationsOf(SQLITE, COMMITS, [
  sqliteUnitOfWorkMigration(SQLITE),
  sqliteBudgetUseMigration,
]);
