import type { Migration } from '../migration.ts';
import { budgetsMigration, sqliteBudgetUseMigration } from './budgets.ts';
import { callsMigration } from './calls.ts';
import { consoleMigration } from './console.ts';
import { freeCallsMigration, tokensMigration } from './free-calls.ts';
import { crawlMigration } from './crawl.ts';
import { leakDepthMigration, leaksMigration } from './leaks.ts';
import { policiesMigration } from './policies.ts';
import { researchMigration, researchTakeoverMigration } from './research.ts';
import { identitiesMigration } from './identities.ts';
import { keysMigration } from './keys.ts';
import { lifecycleMigration } from './lifecycle.ts';
import { auditMigration, peopleMigration, secondFactorMigration, workspaceRolesMigration } from './people.ts';
import { signInMigration } from './sign-in.ts';
import { webMigration } from './web.ts';
import { webhooksMigration } from './webhooks.ts';
import { sqliteUnitOfWorkMigration } from './unit-of-work.ts';

/**
 * Amounts stay within what a JavaScript number holds exactly. Holds and ledger rows have no foreign keys: they are only written after their
 * account was read in the same transaction, and the check of the key would cost a sixth of the throughput.
 */
const SAFE = 9_007_199_254_740_991;

export const SQLITE_MIGRATIONS: Migration[] = [
  {
    version: 1,
    name: 'ledger',
    sql: `
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL,
  balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN -${SAFE} AND ${SAFE}),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved BETWEEN 0 AND ${SAFE}),
  clock INTEGER NOT NULL DEFAULT 0,
  created INTEGER NOT NULL
) STRICT;
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  subscription TEXT NOT NULL REFERENCES subscriptions(id),
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX workspaces_of_subscription ON workspaces(subscription);
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL
) STRICT;
CREATE INDEX agents_of_workspace ON agents(workspace);
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  agent TEXT REFERENCES agents(id),
  label TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER,
  revoked INTEGER,
  used_hour INTEGER
) STRICT;
CREATE INDEX api_keys_of_workspace ON api_keys(workspace);
CREATE TABLE holds (
  id TEXT PRIMARY KEY,
  subscription TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  category TEXT NOT NULL,
  provider TEXT NOT NULL,
  price INTEGER NOT NULL,
  estimate INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND ${SAFE}),
  free INTEGER NOT NULL,
  counted INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'released', 'expired')),
  credits INTEGER,
  charged INTEGER NOT NULL CHECK (charged BETWEEN 0 AND ${SAFE}),
  late INTEGER NOT NULL,
  assumed INTEGER NOT NULL,
  idempotency TEXT,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  resolved INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX holds_open ON holds(expires) WHERE state = 'open';
CREATE INDEX holds_of_hour ON holds(hour);
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  subscription TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount BETWEEN -${SAFE} AND ${SAFE}),
  balance INTEGER NOT NULL CHECK (balance BETWEEN -${SAFE} AND ${SAFE}),
  reference TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  provider TEXT,
  category TEXT,
  note TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_references ON ledger(reference, subscription);
CREATE INDEX ledger_of_subscription ON ledger(subscription, seq);
CREATE TABLE request_buckets (
  subscription TEXT NOT NULL,
  category TEXT NOT NULL,
  hour INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  credits INTEGER NOT NULL CHECK (credits >= 0),
  PRIMARY KEY (subscription, hour, category)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
  subscription TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  hold TEXT NOT NULL,
  done INTEGER NOT NULL,
  answer TEXT,
  expires INTEGER NOT NULL,
  PRIMARY KEY (subscription, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_old ON idempotency(expires);
CREATE TABLE commits (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL
) STRICT;
INSERT INTO commits VALUES (1, 0);
`,
  },
  consoleMigration('INTEGER', 'INTEGER PRIMARY KEY AUTOINCREMENT', ' STRICT'),
  researchMigration('INTEGER', 'INTEGER PRIMARY KEY AUTOINCREMENT', ' STRICT'),
  freeCallsMigration('INTEGER', ' STRICT, WITHOUT ROWID'),
  crawlMigration('INTEGER', ' STRICT'),
  sqliteUnitOfWorkMigration(SAFE),
  signInMigration('INTEGER', ' STRICT'),
  keysMigration('INTEGER'),
  peopleMigration,
  workspaceRolesMigration(' STRICT'),
  identitiesMigration('INTEGER', ' STRICT'),
  budgetsMigration('INTEGER', ' STRICT'),
  secondFactorMigration('INTEGER', ' STRICT'),
  callsMigration('INTEGER', 'INTEGER PRIMARY KEY AUTOINCREMENT', ' STRICT'),
  webhooksMigration('INTEGER', ' STRICT'),
  auditMigration,
  lifecycleMigration('INTEGER'),
  tokensMigration('INTEGER'),
  policiesMigration('INTEGER', ' STRICT'),
  leaksMigration('INTEGER', ' STRICT'),
  sqliteBudgetUseMigration,
  leakDepthMigration('INTEGER'),
  webMigration('INTEGER'),
  researchTakeoverMigration('INTEGER'),
];
