import type { Dialect, Migration } from '../migration.ts';

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

/** Roles in single workspaces. */
export const workspaceRolesMigration = ({ end }: Dialect): Migration => ({
  version: 12,
  name: 'workspace-roles',
  sql: `
CREATE TABLE workspace_roles (
  admin TEXT NOT NULL REFERENCES admins(id),
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  role TEXT NOT NULL,
  PRIMARY KEY (admin, workspace)
)${end};
ALTER TABLE setup_links ADD COLUMN workspace TEXT;
`,
});

/** Second factors. A limited session may only set one up. */
export const secondFactorMigration = ({ integer, end }: Dialect): Migration => ({
  version: 15,
  name: 'second-factor',
  sql: `
ALTER TABLE admins ADD COLUMN factor TEXT;
ALTER TABLE admins ADD COLUMN factor_step ${integer} NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN limited ${integer} NOT NULL DEFAULT 0;
CREATE TABLE recovery_codes (
  admin TEXT NOT NULL REFERENCES admins(id),
  hash TEXT NOT NULL,
  PRIMARY KEY (admin, hash)
)${end};
`,
});

/** What an entry of the audit log is about, so that it can be said in other languages. */
export const auditMigration: Migration = {
  version: 18,
  name: 'audit-deeds',
  sql: `
ALTER TABLE audit ADD COLUMN did TEXT;
ALTER TABLE audit ADD COLUMN fields TEXT;
`,
};
