import type { Migration } from '../migration.ts';
import { budgetsMigration, postgresBudgetUseMigration } from './budgets.ts';
import { callsMigration } from './calls.ts';
import { consoleMigration } from './console.ts';
import { freeCallsMigration, tokensMigration } from './free-calls.ts';
import { libraryMigration } from './library.ts';
import { crawlJobsMigration, crawlLibraryMigration } from './crawl-jobs.ts';
import { crawlMigration } from './crawl.ts';
import { ledgerFunctionsMigration } from './ledger-functions.ts';
import { leakDepthMigration, leaksMigration } from './leaks.ts';
import { policiesMigration } from './policies.ts';
import { researchMigration, researchTakeoverMigration } from './research.ts';
import { identitiesMigration } from './identities.ts';
import { keysMigration } from './keys.ts';
import { lifecycleMigration } from './lifecycle.ts';
import { auditMigration, peopleMigration, secondFactorMigration, workspaceRolesMigration } from './people.ts';
import { sharedMigration, sharedRecoveryMigration } from './shared.ts';
import { signInMigration } from './sign-in.ts';
import { webMigration } from './web.ts';
import { webhooksMigration } from './webhooks.ts';
import { postgresUnitOfWorkMigration } from './unit-of-work.ts';

/** Amounts stay within what a JavaScript number holds exactly. */
const SAFE = 9_007_199_254_740_991;

/**
 * Without `enable_seqscan = off` the planner keeps a sequential scan that it chose while the tables were empty.
 * `FOR NO KEY UPDATE` locks accounts against each other but not against new workspaces of theirs.
 */
const FUNCTIONS = `
CREATE FUNCTION headgate_load(request jsonb) RETURNS json LANGUAGE plpgsql SET enable_seqscan = off AS $function$
DECLARE
  wanted text[] := ARRAY(SELECT jsonb_array_elements_text(request->'subscriptions'));
  wanted_holds text[] := ARRAY(SELECT jsonb_array_elements_text(request->'holds'));
  moment bigint;
BEGIN
  PERFORM 1 FROM subscriptions WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE;
  moment := coalesce((request->>'now')::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  RETURN json_build_object(
    'now', moment,
    'accounts', (SELECT coalesce(json_agg(a), '[]') FROM (
      SELECT id, tier, balance, reserved, clock FROM subscriptions WHERE id = ANY (wanted)) a),
    'buckets', (SELECT coalesce(json_agg(b), '[]') FROM (
      SELECT subscription, category, hour, count, credits FROM request_buckets
      WHERE subscription = ANY (wanted) AND hour >= moment / 3600000 - 24) b),
    'holds', (SELECT coalesce(json_agg(h), '[]') FROM (SELECT * FROM holds WHERE id = ANY (wanted_holds)) h),
    'idempotency', (SELECT coalesce(json_agg(i), '[]') FROM (
      SELECT r.* FROM jsonb_array_elements(request->'idempotency') w
        JOIN idempotency r ON r.subscription = w->>0 AND r.key = w->>1
      UNION
      SELECT r.* FROM holds h JOIN idempotency r ON r.subscription = h.subscription AND r.key = h.idempotency
      WHERE h.id = ANY (wanted_holds)) i),
    'granted', (SELECT coalesce(json_agg(g), '[]') FROM (
      SELECT l.subscription, l.reference FROM jsonb_array_elements(request->'references') w
        JOIN ledger l ON l.subscription = w->>0 AND l.reference = w->>1) g));
END $function$;

CREATE FUNCTION headgate_save(gateway text, acknowledged bigint, changes jsonb) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $function$
DECLARE
  committed bigint;
BEGIN
  UPDATE subscriptions s SET balance = x.balance, reserved = x.reserved, clock = x.clock
    FROM jsonb_to_recordset(changes->'accounts') AS x(id text, balance bigint, reserved bigint, clock bigint)
    WHERE s.id = x.id;
  INSERT INTO request_buckets SELECT subscription, category, hour, 0, 0
    FROM jsonb_to_recordset(changes->'buckets') AS x(subscription text, category text, hour bigint)
    ON CONFLICT DO NOTHING;
  UPDATE request_buckets b SET count = b.count + x.count, credits = b.credits + x.credits
    FROM jsonb_to_recordset(changes->'buckets')
      AS x(subscription text, category text, hour bigint, count bigint, credits bigint)
    WHERE b.subscription = x.subscription AND b.hour = x.hour AND b.category = x.category;
  INSERT INTO holds SELECT * FROM jsonb_populate_recordset(NULL::holds, changes->'holdsNew');
  UPDATE holds h SET state = x.state, credits = x.credits, charged = x.charged, late = x.late, assumed = x.assumed,
      resolved = x.resolved
    FROM jsonb_to_recordset(changes->'holdsResolved') AS x(id text, state text, credits bigint, charged bigint,
      late int, assumed int, resolved bigint)
    WHERE h.id = x.id;
  INSERT INTO ledger (subscription, kind, amount, balance, reference, workspace, agent, key, provider, category, note, at)
    SELECT subscription, kind, amount, balance, reference, workspace, agent, key, provider, category, note, at
    FROM jsonb_to_recordset(changes->'rows') AS x(subscription text, kind text, amount bigint, balance bigint,
      reference text, workspace text, agent text, key text, provider text, category text, note text, at bigint);
  INSERT INTO idempotency SELECT * FROM jsonb_populate_recordset(NULL::idempotency, changes->'idempotency')
    ON CONFLICT (subscription, key) DO UPDATE SET fingerprint = excluded.fingerprint, hold = excluded.hold,
      done = excluded.done, answer = excluded.answer, expires = excluded.expires;
  DELETE FROM idempotency r USING jsonb_to_recordset(changes->'idempotencyGone') AS x(subscription text, key text)
    WHERE r.subscription = x.subscription AND r.key = x.key;
  UPDATE gateways SET sequence = sequence + 1, seen = now() WHERE id = gateway RETURNING sequence INTO committed;
  IF coalesce(committed, 0) <= acknowledged THEN
    RAISE EXCEPTION 'acknowledged commits are missing' USING ERRCODE = 'HG001';
  END IF;
  RETURN committed;
END $function$;
`;

export const POSTGRES_MIGRATIONS: Migration[] = [
  {
    version: 1,
    name: 'ledger',
    sql: `
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL,
  balance BIGINT NOT NULL DEFAULT 0 CHECK (balance BETWEEN -${SAFE} AND ${SAFE}),
  reserved BIGINT NOT NULL DEFAULT 0 CHECK (reserved BETWEEN 0 AND ${SAFE}),
  clock BIGINT NOT NULL DEFAULT 0,
  created BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  subscription TEXT NOT NULL REFERENCES subscriptions(id),
  created BIGINT NOT NULL
);
CREATE INDEX workspaces_of_subscription ON workspaces(subscription);
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL
);
CREATE INDEX agents_of_workspace ON agents(workspace);
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspaces(id),
  agent TEXT REFERENCES agents(id),
  label TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT,
  revoked BIGINT,
  used_hour BIGINT
);
CREATE INDEX api_keys_of_workspace ON api_keys(workspace);
CREATE TABLE holds (
  id TEXT PRIMARY KEY,
  subscription TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  category TEXT NOT NULL,
  provider TEXT NOT NULL,
  price BIGINT NOT NULL,
  estimate BIGINT NOT NULL,
  amount BIGINT NOT NULL CHECK (amount BETWEEN 0 AND ${SAFE}),
  free INT NOT NULL,
  counted INT NOT NULL,
  hour BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'released', 'expired')),
  credits BIGINT,
  charged BIGINT NOT NULL CHECK (charged BETWEEN 0 AND ${SAFE}),
  late INT NOT NULL,
  assumed INT NOT NULL,
  idempotency TEXT,
  created BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  resolved BIGINT
) WITH (fillfactor = 80);
CREATE INDEX holds_open ON holds(expires) WHERE state = 'open';
CREATE INDEX holds_of_hour ON holds(hour);
CREATE TABLE ledger (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL CHECK (amount BETWEEN -${SAFE} AND ${SAFE}),
  balance BIGINT NOT NULL CHECK (balance BETWEEN -${SAFE} AND ${SAFE}),
  reference TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  provider TEXT,
  category TEXT,
  note TEXT,
  at BIGINT NOT NULL
);
CREATE UNIQUE INDEX ledger_references ON ledger(reference, subscription);
CREATE INDEX ledger_of_subscription ON ledger(subscription, seq);
CREATE TABLE request_buckets (
  subscription TEXT NOT NULL,
  category TEXT NOT NULL,
  hour BIGINT NOT NULL,
  count BIGINT NOT NULL CHECK (count >= 0),
  credits BIGINT NOT NULL CHECK (credits >= 0),
  PRIMARY KEY (subscription, hour, category)
) WITH (fillfactor = 50);
CREATE TABLE idempotency (
  subscription TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  hold TEXT NOT NULL,
  done INT NOT NULL,
  answer TEXT,
  expires BIGINT NOT NULL,
  PRIMARY KEY (subscription, key)
);
CREATE INDEX idempotency_old ON idempotency(expires);
CREATE TABLE gateways (
  id TEXT PRIMARY KEY,
  sequence BIGINT NOT NULL,
  seen TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
${FUNCTIONS}`,
  },
  consoleMigration('BIGINT', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', ''),
  researchMigration('BIGINT', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', ''),
  freeCallsMigration('BIGINT', ''),
  libraryMigration,
  crawlMigration('BIGINT', ''),
  ledgerFunctionsMigration,
  postgresUnitOfWorkMigration,
  signInMigration('BIGINT', ''),
  keysMigration('BIGINT'),
  peopleMigration,
  workspaceRolesMigration(''),
  identitiesMigration('BIGINT', ''),
  budgetsMigration('BIGINT', ''),
  secondFactorMigration('BIGINT', ''),
  callsMigration('BIGINT', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', ''),
  webhooksMigration('BIGINT', ''),
  auditMigration,
  lifecycleMigration('BIGINT'),
  tokensMigration('BIGINT'),
  policiesMigration('BIGINT', ''),
  leaksMigration('BIGINT', ''),
  postgresBudgetUseMigration,
  sharedMigration,
  leakDepthMigration('BIGINT'),
  webMigration('BIGINT'),
  crawlJobsMigration,
  sharedRecoveryMigration,
  crawlLibraryMigration,
  researchTakeoverMigration('BIGINT'),
];
