import { PLANS } from './ledger-functions.ts';
import type { Dialect, Migration } from '../migration.ts';
import { holdColumns } from './ledger.ts';

/** What both databases do once their columns are there: bookings of an earlier version get their place among the new states. */
const BOOKINGS = `
-- Whoever held at that time asked at that time.
UPDATE holds SET asked = created WHERE state = 'open' AND provider <> 'headgate-call';
-- Nobody noted whether these were asked.
UPDATE holds SET state = 'doubt', asked = created, reason = 'Nobody ended it under an earlier version.'
  WHERE state = 'expired' AND provider <> 'headgate-call';
-- Keys belong to whoever used them, and a call that was interrupted frees its key when its hold would have expired.
UPDATE idempotency SET
  key = (SELECT coalesce(h.workspace, '') || ' ' || coalesce(h.key, '') || ' ' || coalesce(h.agent, '') || ' ' || idempotency.key
         FROM holds h WHERE h.id = idempotency.hold),
  expires = CASE WHEN done = 1 THEN expires ELSE (SELECT h.expires FROM holds h WHERE h.id = idempotency.hold) END
  WHERE EXISTS (SELECT 1 FROM holds h WHERE h.id = idempotency.hold);
-- A call under a key is one row: that of its request to a provider.
DELETE FROM holds WHERE provider = 'headgate-call';
CREATE INDEX holds_in_doubt ON holds(created) WHERE state = 'doubt' AND closed IS NULL;
CREATE TABLE health (id INTEGER PRIMARY KEY, padding TEXT NOT NULL) STRICT_OR_NOT;
INSERT INTO health VALUES (1, '');
`;

/**
 * The functions of the ledger with the new columns. A gateway of an earlier version that is still running sends rows without them; it is
 * understood, because rolling restarts take a while.
 */
export const LEDGER_FUNCTIONS = `CREATE OR REPLACE FUNCTION headgate_load(request jsonb) RETURNS json LANGUAGE plpgsql ${PLANS} AS $function$
DECLARE
  wanted text[] := ARRAY(SELECT jsonb_array_elements_text(request->'subscriptions'));
  wanted_holds text[] := ARRAY(SELECT jsonb_array_elements_text(request->'holds'));
  moment bigint;
  accounts json;
  buckets json;
  found json := '[]';
  records json := '[]';
  granted json := '[]';
BEGIN
  SELECT coalesce(json_agg(a), '[]') INTO accounts FROM (
    SELECT id, tier, balance, reserved, clock, ahead FROM subscriptions
    WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE) a;
  moment := coalesce((request->>'now')::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
  SELECT coalesce(json_agg(b), '[]') INTO buckets FROM (
    SELECT subscription, category, hour, count, credits FROM request_buckets
    WHERE subscription = ANY (wanted) AND hour >= moment / 3600000 - 24) b;
  IF cardinality(wanted_holds) > 0 THEN
    SELECT coalesce(json_agg(h), '[]') INTO found FROM holds h WHERE id = ANY (wanted_holds);
  END IF;
  IF jsonb_array_length(request->'idempotency') > 0 THEN
    SELECT coalesce(json_agg(r), '[]') INTO records FROM jsonb_array_elements(request->'idempotency') w
      JOIN idempotency r ON r.subscription = w->>0 AND r.key = w->>1;
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
    UPDATE subscriptions s SET balance = x.balance, reserved = x.reserved, clock = x.clock,
        ahead = coalesce(x.ahead, s.ahead)
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
        resolved = x.resolved, reported = x.reported, reason = x.reason, verdict = x.verdict, closed = x.closed
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
`;

/** A CHECK of SQLite cannot be changed, so the table is made anew. */
export const sqliteUnitOfWorkMigration = (dialect: Dialect): Migration => ({
  version: 8,
  name: 'unit of work',
  sql: `
ALTER TABLE subscriptions ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
ALTER TABLE holds RENAME TO holds_before;
DROP INDEX holds_open;
DROP INDEX holds_of_hour;
CREATE TABLE holds (
  ${holdColumns(dialect, "'open', 'settled', 'released', 'expired', 'doubt'")},
  asked INTEGER,
  reported INTEGER,
  reason TEXT,
  verdict TEXT CHECK (verdict IN ('billed', 'not_billed')),
  closed INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO holds SELECT *, NULL, NULL, NULL, NULL, NULL FROM holds_before;
DROP TABLE holds_before;
CREATE INDEX holds_open ON holds(expires) WHERE state = 'open';
CREATE INDEX holds_of_hour ON holds(hour);
${BOOKINGS.replace('STRICT_OR_NOT', 'STRICT')}`,
});

export const postgresUnitOfWorkMigration: Migration = {
  version: 8,
  name: 'unit of work',
  sql: `
ALTER TABLE subscriptions ADD COLUMN ahead BIGINT NOT NULL DEFAULT 0;
ALTER TABLE holds DROP CONSTRAINT holds_state_check;
ALTER TABLE holds ADD CONSTRAINT holds_state_check CHECK (state IN ('open', 'settled', 'released', 'expired', 'doubt'));
ALTER TABLE holds ADD COLUMN asked BIGINT, ADD COLUMN reported BIGINT, ADD COLUMN reason TEXT,
  ADD COLUMN verdict TEXT CHECK (verdict IN ('billed', 'not_billed')), ADD COLUMN closed BIGINT;
${BOOKINGS.replace('STRICT_OR_NOT', '')}
${LEDGER_FUNCTIONS}`,
};
