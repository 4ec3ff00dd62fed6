import type { Migration } from '../migration.ts';

/**
 * A window that was lost in a crash counts as full, for its length after the last request that may still be spent of it: until the
 * end of a lease, or until the crash when as many gateways as there were say that they have spent nothing since. A window that
 * `forgets` begins anew.
 */
const TAKE = `
CREATE OR REPLACE FUNCTION headgate_take(ask jsonb, emptied double precision) RETURNS jsonb LANGUAGE plpgsql AS $function$
DECLARE
  span double precision := (ask->>'perMs')::double precision;
  lease double precision := (ask->>'leaseMs')::double precision;
  most bigint := (ask->>'requests')::bigint;
  debt bigint := coalesce((ask->>'debt')::bigint, 0);
  moment double precision;
  held jsonb;
  used bigint;
  soonest double precision;
  granted bigint;
  heard boolean;
BEGIN
  SELECT blocks INTO held FROM shared_state WHERE name = ask->>'name' FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO shared_state (name, until, blocks) VALUES (ask->>'name', 0,
      CASE WHEN emptied > 0 AND NOT ask ? 'forgets'
        THEN jsonb_build_array(jsonb_build_array('lost', most, emptied + lease)) ELSE '[]' END)
      ON CONFLICT DO NOTHING;
    SELECT blocks INTO held FROM shared_state WHERE name = ask->>'name' FOR UPDATE;
  END IF;
  heard := held @> '[["lost"]]' AND (SELECT coalesce(count(*) >= max((value->>'peers')::bigint), false) FROM shared_state
    WHERE name >= 'gateway ' AND name < 'gateway!' AND (value->>'since')::double precision = emptied);
  moment := headgate_clock();
  SELECT coalesce(jsonb_agg(jsonb_build_array(id, n, ends) ORDER BY ends), '[]'), coalesce(sum(n), 0), min(ends)
    INTO held, used, soonest
    FROM (SELECT id, sum(n) AS n, ends FROM (
      SELECT CASE WHEN spent IS NULL THEN b->>0 ELSE '' END AS id,
        coalesce(spent, (b->>1)::bigint) AS n,
        least((b->>2)::double precision,
          CASE WHEN heard AND b->>0 = 'lost' THEN emptied WHEN spent IS NULL THEN moment + lease
            ELSE ceil(moment * 200 / span) * span / 200 END) AS ends
      FROM jsonb_array_elements(held) b, LATERAL (SELECT (ask->'spent'->>(b->>0))::bigint AS spent) s) each_block
      WHERE n > 0 AND ends + span > moment GROUP BY id, ends) live;
  IF debt > 0 THEN
    held := held || jsonb_build_array(jsonb_build_array('', debt, moment));
    used := used + debt;
  END IF;
  granted := greatest(0, least((ask->>'want')::bigint, most - used));
  IF granted > 0 THEN
    held := held || jsonb_build_array(jsonb_build_array(ask->>'id', granted, moment + lease));
  ELSIF (ask->>'want')::bigint > 0 AND EXISTS (SELECT FROM jsonb_array_elements(held) b WHERE b->>0 NOT IN ('', 'lost')) THEN
    INSERT INTO shared_state (name, until, value) VALUES ('wanted ' || (ask->>'name'), moment + 1000, '{}')
      ON CONFLICT (name) DO UPDATE SET until = excluded.until;
  END IF;
  UPDATE shared_state SET blocks = held, until = moment + lease + span WHERE name = ask->>'name';
  RETURN jsonb_build_object('granted', granted,
    'retryAfterMs', CASE WHEN granted = 0 THEN greatest(1, soonest + span - moment) END);
END $function$;
`;

/**
 * What gateways share beside the ledger: blocks of leased requests, turns, leases and marks. The table is UNLOGGED, so that a
 * decision costs no flush; a crash of the server empties it. The row without a name tells: it holds 0 from here on, and after a
 * crash the time at which somebody found it missing. Rows that were lost count as full, taken or just used.
 *
 * Times are milliseconds of the server's clock, read after the row is locked. A statement locks rows in the order of their names.
 */
export const sharedMigration: Migration = {
  version: 24,
  name: 'shared',
  sql: `
CREATE UNLOGGED TABLE shared_state (
  name TEXT COLLATE "C" PRIMARY KEY,
  until DOUBLE PRECISION NOT NULL,
  blocks JSONB,
  holder TEXT,
  value JSONB
) WITH (fillfactor = 50);
INSERT INTO shared_state (name, until) VALUES ('', 0);

CREATE FUNCTION headgate_clock() RETURNS double precision LANGUAGE sql VOLATILE AS
  $function$ SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 $function$;

${TAKE}

CREATE FUNCTION headgate_turn(ask jsonb, emptied double precision) RETURNS jsonb LANGUAGE plpgsql AS $function$
DECLARE
  step double precision := (ask->>'stepMs')::double precision;
  free double precision;
  moment double precision;
  turn double precision;
BEGIN
  INSERT INTO shared_state (name, until) VALUES (ask->>'name', CASE WHEN emptied > 0 THEN emptied + step ELSE 0 END)
    ON CONFLICT DO NOTHING;
  SELECT until INTO free FROM shared_state WHERE name = ask->>'name' FOR UPDATE;
  moment := headgate_clock();
  IF ask ? 'back' THEN
    UPDATE shared_state SET until = (ask->>'back')::double precision
      WHERE name = ask->>'name' AND until = (ask->>'back')::double precision + step;
    RETURN '{}';
  END IF;
  -- Nobody queues for as long as that: the clock was set back.
  turn := CASE WHEN free > moment + 600000 THEN moment + step ELSE greatest(free, moment + (ask->>'aheadMs')::double precision) END;
  IF turn - moment > (ask->>'withinMs')::double precision THEN
    RETURN jsonb_build_object('retryAfterMs', turn - moment);
  END IF;
  UPDATE shared_state SET until = turn + step WHERE name = ask->>'name';
  RETURN jsonb_build_object('turn', turn);
END $function$;

CREATE FUNCTION headgate_lease(ask jsonb, emptied double precision) RETURNS jsonb LANGUAGE plpgsql AS $function$
DECLARE
  lease double precision := (ask->>'leaseMs')::double precision;
  had record;
  moment double precision;
BEGIN
  INSERT INTO shared_state (name, until) VALUES (ask->>'name', CASE WHEN emptied > 0 THEN emptied + lease ELSE 0 END)
    ON CONFLICT DO NOTHING;
  SELECT until, holder INTO had FROM shared_state WHERE name = ask->>'name' FOR UPDATE;
  moment := headgate_clock();
  IF had.until > moment AND had.until <= moment + lease AND had.holder IS DISTINCT FROM ask->>'holder' THEN
    RETURN jsonb_build_object('retryAfterMs', had.until - moment);
  END IF;
  UPDATE shared_state SET until = CASE WHEN ask ? 'free' THEN 0 ELSE moment + lease END, holder = ask->>'holder'
    WHERE name = ask->>'name';
  RETURN '{}';
END $function$;

CREATE FUNCTION headgate_mark(ask jsonb) RETURNS jsonb LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO shared_state (name, until, value)
    VALUES (ask->>'name', headgate_clock() + (ask->>'forMs')::double precision, ask->'value')
    ON CONFLICT (name) DO UPDATE SET until = excluded.until, value = excluded.value;
  RETURN '{}';
END $function$;

CREATE FUNCTION headgate_share(asks jsonb, reads boolean) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off AS $function$
DECLARE
  emptied double precision;
  ask jsonb;
  answers jsonb := '[]';
  moment double precision;
BEGIN
  SELECT until INTO emptied FROM shared_state WHERE name = '';
  IF NOT FOUND THEN
    INSERT INTO shared_state (name, until) VALUES ('', headgate_clock()) ON CONFLICT DO NOTHING;
    SELECT until INTO emptied FROM shared_state WHERE name = '';
  END IF;
  FOR ask IN SELECT * FROM jsonb_array_elements(asks) LOOP
    answers := answers || jsonb_build_array(CASE ask->>'kind'
      WHEN 'take' THEN headgate_take(ask, emptied)
      WHEN 'turn' THEN headgate_turn(ask, emptied)
      WHEN 'lease' THEN headgate_lease(ask, emptied)
      ELSE headgate_mark(ask) END);
  END LOOP;
  moment := headgate_clock();
  IF reads AND random() < 0.01 THEN
    DELETE FROM shared_state WHERE name IN (SELECT name FROM shared_state
      WHERE name <> '' AND until < moment - 120000 LIMIT 1000 FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN jsonb_build_object('now', moment, 'emptied', emptied, 'answers', answers) || CASE WHEN reads THEN jsonb_build_object(
    'gateways', (SELECT count(*) FROM shared_state
      WHERE name >= 'gateway ' AND name < 'gateway!' AND until > moment - 55000),
    'marks', (SELECT coalesce(jsonb_agg(jsonb_build_array(name, until - moment, value)), '[]') FROM (
      SELECT * FROM shared_state WHERE (name >= 'mark ' AND name < 'mark!' OR name >= 'wanted ' AND name < 'wanted!')
        AND until > moment LIMIT 1000) m))
    ELSE '{}' END;
END $function$;
`,
};

export const sharedRecoveryMigration: Migration = { version: 28, name: 'shared-recovery', sql: TAKE };
