import type { Dialect, Migration } from '../migration.ts';

/** When something was archived; null while it is in use, and -1 in the transaction that deletes it. */
export const lifecycleMigration = ({ integer }: Dialect): Migration => ({
  version: 19,
  name: 'lifecycle',
  sql: ['workspaces', 'agents', 'api_keys', 'admins']
    .map((table) => `ALTER TABLE ${table} ADD COLUMN archived ${integer};`)
    .join('\n'),
});
