import type { Dialect, Migration } from '../migration.ts';

/** People who sign in to the console, their sessions, one-time links, and what was changed by whom. */
export const consoleMigration = ({ integer, sequence, end }: Dialect): Migration => ({
  version: 2,
  name: 'console',
  sql: `
CREATE TABLE admins (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  password TEXT NOT NULL,
  created ${integer} NOT NULL,
  changed ${integer} NOT NULL
)${end};
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  admin TEXT NOT NULL REFERENCES admins(id),
  created ${integer} NOT NULL,
  seen ${integer} NOT NULL
)${end};
CREATE INDEX sessions_of_admin ON sessions(admin);
CREATE TABLE setup_links (
  hash TEXT PRIMARY KEY,
  expires ${integer} NOT NULL
)${end};
CREATE TABLE audit (
  seq ${sequence},
  at ${integer} NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL
)${end};
`,
});
