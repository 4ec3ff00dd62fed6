import type { Migration } from '../migration.ts';

/**
 * A plan that was made while the tables were small joined a batch with the whole history, and stayed until the next ANALYZE: only a look into the
 * index per row is right at every size, and so no other plan is allowed.
 */
const PLANS = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
  SET plan_cache_mode = force_generic_plan`;

/**
 * The functions of the ledger, leaner: what a batch does not have is not asked for, and \`common\` holds what all its rows share. Gateways that
 * send whole rows, as before, are understood too, because they run on while others are being replaced.
 */
export const ledgerFunctionsMigration: Migration = {
  version: 7,
  name: 'ledger functions',
  sql: `
CREATE OR REPLACE FUNCTION headgate_load(request jsonb) RETURNS json LANGUAGE plpgsql ${PLANS} AS $function$
DECLARE
  wanted text[] := ARRAY(SELECT jsonb_array_elements_text(request->'subscriptions'));
  wanted_holds text[] := ARRAY(SELECT jsonb_array_elements_text(request->'holds'));
  moment bigint;
  accounts json;
  buckets json;
  found json := '[]';
  keyed boolean := false;
  records json := '[]';
  granted json := '[]';
BEGIN
  SELECT coalesce(json_agg(a), '[]') INTO accounts FROM (
    SELECT id, tier, balance, reserved, clock FROM subscriptions
    WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE) a;
  moment := coalesce((request->>'now')::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  SELECT coalesce(json_agg(b), '[]') INTO buckets FROM (
    SELECT subscription, category, hour, count, credits FROM request_buckets
    WHERE subscription = ANY (wanted) AND hour >= moment / 3600000 - 24) b;
  IF cardinality(wanted_holds) > 0 THEN
    SELECT coalesce(json_agg(h), '[]'), coalesce(bool_or(h.idempotency IS NOT NULL), false) INTO found, keyed
      FROM holds h WHERE id = ANY (wanted_holds);
  END IF;
  IF keyed OR jsonb_array_length(request->'idempotency') > 0 THEN
    SELECT coalesce(json_agg(i), '[]') INTO records FROM (
      SELECT r.* FROM jsonb_array_elements(request->'idempotency') w
        JOIN idempotency r ON r.subscription = w->>0 AND r.key = w->>1
      UNION
      SELECT r.* FROM holds h JOIN idempotency r ON r.subscription = h.subscription AND r.key = h.idempotency
      WHERE h.id = ANY (wanted_holds)) i;
  END IF;
  IF jsonb_array_length(request->'references') > 0 THEN
    SELECT coalesce(json_agg(g), '[]') INTO granted FROM (
      SELECT l.subscription, l.reference FROM jsonb_array_elements(request->'references') w
        JOIN ledger l ON l.subscription = w->>0 AND l.reference = w->>1) g;
  END IF;
  RETURN json_build_object('now', moment, 'accounts', accounts, 'buckets', buckets, 'holds', found,
    'idempotency', records, 'granted', granted);
END $function$;

CREATE OR REPLACE FUNCTION headgate_save(gateway text, acknowledged bigint, changes jsonb) RETURNS bigint
LANGUAGE plpgsql ${PLANS} AS $function$
DECLARE
  common jsonb := coalesce(changes->'common', '{}');
  committed bigint;
BEGIN
  IF jsonb_array_length(changes->'accounts') > 0 THEN
    UPDATE subscriptions s SET balance = x.balance, reserved = x.reserved, clock = x.clock
      FROM jsonb_populate_recordset(jsonb_populate_record(NULL::subscriptions, common->'accounts'), changes->'accounts') x
      WHERE s.id = x.id;
  END IF;
  IF jsonb_array_length(changes->'buckets') > 0 THEN
    INSERT INTO request_buckets AS b SELECT x.*
      FROM jsonb_populate_recordset(jsonb_populate_record(NULL::request_buckets, common->'buckets'), changes->'buckets') x
      WHERE x.count >= 0 AND x.credits >= 0
      ON CONFLICT (subscription, hour, category)
      DO UPDATE SET count = b.count + excluded.count, credits = b.credits + excluded.credits;
    -- A difference below zero can never be a row of its own: the checks of the table would refuse it.
    IF NOT changes ? 'common' OR changes ? 'less' THEN
      UPDATE request_buckets b SET count = b.count + x.count, credits = b.credits + x.credits
        FROM jsonb_populate_recordset(jsonb_populate_record(NULL::request_buckets, common->'buckets'), changes->'buckets') x
        WHERE (x.count < 0 OR x.credits < 0)
          AND b.subscription = x.subscription AND b.hour = x.hour AND b.category = x.category;
    END IF;
  END IF;
  IF jsonb_array_length(changes->'holdsNew') > 0 THEN
    INSERT INTO holds SELECT x.*
      FROM jsonb_populate_recordset(jsonb_populate_record(NULL::holds, common->'holdsNew'), changes->'holdsNew') x;
  END IF;
  IF jsonb_array_length(changes->'holdsResolved') > 0 THEN
    UPDATE holds h SET state = x.state, credits = x.credits, charged = x.charged, late = x.late, assumed = x.assumed,
        resolved = x.resolved
      FROM jsonb_populate_recordset(jsonb_populate_record(NULL::holds, common->'holdsResolved'), changes->'holdsResolved') x
      WHERE h.id = x.id;
  END IF;
  IF jsonb_array_length(changes->'rows') > 0 THEN
    INSERT INTO ledger (subscription, kind, amount, balance, reference, workspace, agent, key, provider, category, note, at)
      SELECT subscription, kind, amount, balance, reference, workspace, agent, key, provider, category, note, at
      FROM jsonb_populate_recordset(jsonb_populate_record(NULL::ledger, common->'rows'), changes->'rows');
  END IF;
  IF jsonb_array_length(changes->'idempotency') > 0 THEN
    INSERT INTO idempotency SELECT x.*
      FROM jsonb_populate_recordset(jsonb_populate_record(NULL::idempotency, common->'idempotency'), changes->'idempotency') x
      ON CONFLICT (subscription, key) DO UPDATE SET fingerprint = excluded.fingerprint, hold = excluded.hold,
        done = excluded.done, answer = excluded.answer, expires = excluded.expires;
  END IF;
  IF jsonb_array_length(changes->'idempotencyGone') > 0 THEN
    DELETE FROM idempotency r USING jsonb_to_recordset(changes->'idempotencyGone') AS x(subscription text, key text)
      WHERE r.subscription = x.subscription AND r.key = x.key;
  END IF;
  UPDATE gateways SET sequence = sequence + 1, seen = now() WHERE id = gateway RETURNING sequence INTO committed;
  IF coalesce(committed, 0) <= acknowledged THEN
    RAISE EXCEPTION 'acknowledged commits are missing' USING ERRCODE = 'HG001';
  END IF;
  RETURN committed;
END $function$;
`,
};
