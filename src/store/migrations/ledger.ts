import type { Dialect, Migration } from '../migration.ts';

/**
 * Amounts stay within what a JavaScript number holds exactly. In SQLite, holds and ledger rows have no foreign keys: they are only written
 * after their account was read in the same transaction, and the check of the key would cost a sixth of the throughput.
 */
const SAFE = 9_007_199_254_740_991;

export const holdColumns = ({ integer, small }: Dialect, states: string): string => `id TEXT PRIMARY KEY,
  subscription TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  category TEXT NOT NULL,
  provider TEXT NOT NULL,
  price ${integer} NOT NULL,
  estimate ${integer} NOT NULL,
  amount ${integer} NOT NULL CHECK (amount BETWEEN 0 AND ${SAFE}),
  free ${small} NOT NULL,
  counted ${small} NOT NULL,
  hour ${integer} NOT NULL,
  state TEXT NOT NULL CHECK (state IN (${states})),
  credits ${integer},
  charged ${integer} NOT NULL CHECK (charged BETWEEN 0 AND ${SAFE}),
  late ${small} NOT NULL,
  assumed ${small} NOT NULL,
  idempotency TEXT,
  created ${integer} NOT NULL,
  expires ${integer} NOT NULL,
  resolved ${integer}`;

const accounts = ({ integer, end, fill }: Dialect): string => `
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL,
  balance ${integer} NOT NULL DEFAULT 0 CHECK (balance BETWEEN -${SAFE} AND ${SAFE}),
  reserved ${integer} NOT NULL DEFAULT 0 CHECK (reserved BETWEEN 0 AND ${SAFE}),
  clock ${integer} NOT NULL DEFAULT 0,
  created ${integer} NOT NULL
)${end}${fill(50)};
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  subscription TEXT NOT NULL REFERENCES subscriptions(id),
  created ${integer} NOT NULL
)${end};
CREATE INDEX workspaces_of_subscription ON workspaces(subscription);
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created ${integer} NOT NULL,
  updated ${integer} NOT NULL
)${end};
CREATE INDEX agents_of_workspace ON agents(workspace);
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  agent TEXT REFERENCES agents(id),
  label TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL,
  created ${integer} NOT NULL,
  expires ${integer},
  revoked ${integer},
  used_hour ${integer}
)${end};
CREATE INDEX api_keys_of_workspace ON api_keys(workspace);
`;

const bookings = (dialect: Dialect): string => {
  const { integer, small, sequence, end, keyed, fill } = dialect;
  return `CREATE TABLE holds (
  ${holdColumns(dialect, "'open', 'settled', 'released', 'expired'")}
)${end}${keyed}${fill(80)};
CREATE INDEX holds_open ON holds(expires) WHERE state = 'open';
CREATE INDEX holds_of_hour ON holds(hour);
CREATE TABLE ledger (
  seq ${sequence},
  subscription TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount ${integer} NOT NULL CHECK (amount BETWEEN -${SAFE} AND ${SAFE}),
  balance ${integer} NOT NULL CHECK (balance BETWEEN -${SAFE} AND ${SAFE}),
  reference TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  provider TEXT,
  category TEXT,
  note TEXT,
  at ${integer} NOT NULL
)${end};
CREATE UNIQUE INDEX ledger_references ON ledger(reference, subscription);
CREATE INDEX ledger_of_subscription ON ledger(subscription, seq);
CREATE TABLE request_buckets (
  subscription TEXT NOT NULL,
  category TEXT NOT NULL,
  hour ${integer} NOT NULL,
  count ${integer} NOT NULL CHECK (count >= 0),
  credits ${integer} NOT NULL CHECK (credits >= 0),
  PRIMARY KEY (subscription, hour, category)
)${end}${keyed}${fill(50)};
CREATE TABLE idempotency (
  subscription TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  hold TEXT NOT NULL,
  done ${small} NOT NULL,
  answer TEXT,
  expires ${integer} NOT NULL,
  PRIMARY KEY (subscription, key)
)${end}${keyed};
CREATE INDEX idempotency_old ON idempotency(expires);
`;
};

/** The ledger, and who books in it. Each database adds how it knows that nothing is missing. */
export const ledgerMigration = (dialect: Dialect, own: string): Migration => ({
  version: 1,
  name: 'ledger',
  sql: `${accounts(dialect)}${bookings(dialect)}${own}`,
});
