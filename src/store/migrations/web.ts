import type { Dialect, Migration } from '../migration.ts';

/** The snapshots that a workspace sees instead of the web, and as of when. */
export const webMigration = ({ integer }: Dialect): Migration => ({
  version: 26,
  name: 'workspace-web',
  sql: `
ALTER TABLE workspaces ADD COLUMN web TEXT;
ALTER TABLE workspaces ADD COLUMN as_of TEXT;
ALTER TABLE workspaces ADD COLUMN web_set ${integer};
`,
});
