import type { Dialect, Migration } from '../migration.ts';
import { postgresBudgetUseMigration } from './budgets.ts';
import { libraryMigration } from './library.ts';
import { crawlJobsMigration, crawlLibraryMigration } from './crawl-jobs.ts';
import { ledgerFunctionsMigration } from './ledger-functions.ts';
import { sharedMigration, sharedRecoveryMigration } from './shared.ts';
import { postgresUnitOfWorkMigration } from './unit-of-work.ts';
import { migrationsOf } from './common.ts';

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

const POSTGRES: Dialect = {
  integer: 'BIGINT',
  small: 'INT',
  sequence: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  end: '',
  keyed: '',
  fill: (percent) => ` WITH (fillfactor = ${percent})`,
};

const GATEWAYS = `CREATE TABLE gateways (
  id TEXT PRIMARY KEY,
  sequence BIGINT NOT NULL,
  seen TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
${FUNCTIONS}`;

export const POSTGRES_MIGRATIONS: Migration[] = migrationsOf(POSTGRES, GATEWAYS, [
  libraryMigration,
  ledgerFunctionsMigration,
  postgresUnitOfWorkMigration,
  postgresBudgetUseMigration,
  sharedMigration,
  crawlJobsMigration,
  sharedRecoveryMigration,
  crawlLibraryMigration,
]);
