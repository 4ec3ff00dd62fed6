import type { Dialect, Migration } from '../migration.ts';

/** What callers were shown and chose within a day, and what people are asked to approve. Addresses that were shown are hashes. */
export const leaksMigration = ({ integer, end }: Dialect): Migration => ({
  version: 22,
  name: 'leaks',
  sql: `
CREATE TABLE leak_lists (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  used ${integer} NOT NULL,
  size ${integer} NOT NULL,
  expires ${integer} NOT NULL
)${end};
CREATE INDEX leak_lists_of_owner ON leak_lists(owner, used);
CREATE INDEX leak_lists_old ON leak_lists(expires);
CREATE TABLE leak_addresses (
  list TEXT NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (list, address)
)${end};
CREATE TABLE leak_payers (
  payer TEXT PRIMARY KEY,
  at ${integer} NOT NULL
)${end};
CREATE TABLE leak_bookings (
  id TEXT NOT NULL,
  payer TEXT NOT NULL,
  domain TEXT NOT NULL,
  at ${integer} NOT NULL,
  bits ${integer} NOT NULL,
  PRIMARY KEY (id, payer)
)${end};
CREATE INDEX leak_bookings_of_payer ON leak_bookings(payer, at);
CREATE INDEX leak_bookings_old ON leak_bookings(at);
CREATE TABLE approvals (
  code TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  address TEXT NOT NULL,
  url TEXT NOT NULL,
  reason TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  state TEXT NOT NULL,
  created ${integer} NOT NULL,
  expires ${integer} NOT NULL
)${end};
CREATE UNIQUE INDEX approvals_of_owner ON approvals(owner, address);
CREATE INDEX approvals_old ON approvals(expires);
`,
});

/** How far away from a search or a person the addresses of a list are. */
export const leakDepthMigration = ({ integer }: Dialect): Migration => ({
  version: 25,
  name: 'leak-depth',
  sql: `ALTER TABLE leak_lists ADD COLUMN depth ${integer} NOT NULL DEFAULT 0;`,
});
