import type { Dialect, Migration } from '../migration.ts';

/** Where long walks through sites stopped, so that any gateway can go on with them. */
export const crawlMigration = ({ integer, end }: Dialect): Migration => ({
  version: 6,
  name: 'crawl',
  sql: `
CREATE TABLE crawl_sessions (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  state TEXT NOT NULL,
  expires ${integer} NOT NULL
)${end};
CREATE INDEX crawl_sessions_of_workspace ON crawl_sessions(workspace, expires);
CREATE INDEX crawl_sessions_old ON crawl_sessions(expires);
`,
});
