import type { Dialect, Migration } from '../migration.ts';

/** The networks from which a key may be used, and the moment of its last use. */
export const keysMigration = ({ integer }: Dialect): Migration => ({
  version: 10,
  name: 'keys',
  sql: `
ALTER TABLE api_keys ADD COLUMN networks TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN used ${integer};
UPDATE api_keys SET used = used_hour * 3600000;
`,
});
