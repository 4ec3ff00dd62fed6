import type { Dialect, Migration } from '../migration.ts';

/**
 * Accounts at an identity provider, each with the person whom it belongs to here. `managed` says that the
 * person's role comes from groups at the provider.
 */
export const identitiesMigration = ({ integer, end }: Dialect): Migration => ({
  version: 13,
  name: 'identities',
  sql: `
CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  admin TEXT NOT NULL,
  managed ${integer} NOT NULL,
  refresh TEXT,
  checked ${integer} NOT NULL,
  lease ${integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (issuer, subject)
)${end};
CREATE INDEX identities_of_admin ON identities(admin);
`,
});
