import type { Migration } from '../migration.ts';

/** Roles of people, and links that invite somebody in particular. Whoever could sign in before could do everything. */
export const peopleMigration: Migration = {
  version: 11,
  name: 'people',
  sql: `
ALTER TABLE admins ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE setup_links ADD COLUMN person TEXT;
ALTER TABLE setup_links ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
`,
};
