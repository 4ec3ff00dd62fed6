import type { Migration } from '../migration.ts';

/**
 * Segments of libraries that all gateways share. PostgreSQL only: with SQLite there is one machine, and segments are files (decision 0051). Bytes are
 * stored as they are, because records are already deflated.
 */
export const libraryMigration: Migration = {
  version: 5,
  name: 'library',
  sql: `
CREATE TABLE library_manifests (
  library TEXT PRIMARY KEY,
  generation BIGINT NOT NULL,
  body TEXT NOT NULL
);
CREATE TABLE library_pieces (
  library TEXT NOT NULL,
  file TEXT NOT NULL,
  piece INT NOT NULL,
  body BYTEA NOT NULL,
  created TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (library, file, piece)
);
ALTER TABLE library_pieces ALTER COLUMN body SET STORAGE EXTERNAL;
`,
};
