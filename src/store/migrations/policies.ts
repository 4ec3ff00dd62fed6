import type { Dialect, Migration } from '../migration.ts';

/** The rules of workspaces and agents, as JSON. */
export const policiesMigration = ({ integer, end }: Dialect): Migration => ({
  version: 21,
  name: 'policies',
  sql: `
CREATE TABLE policies (
  id TEXT PRIMARY KEY,
  level TEXT NOT NULL,
  workspace TEXT NOT NULL,
  rules TEXT NOT NULL,
  created ${integer} NOT NULL
)${end};
CREATE INDEX policies_of_workspace ON policies(workspace);
`,
});
