import { changedSql, type Dialect, type Migration } from '../migration.ts';
import { ledgerFunctionsMigration } from './ledger-functions.ts';
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
export const LEDGER_FUNCTIONS = changedSql(ledgerFunctionsMigration.sql.slice(1), [
  ['  keyed boolean := false;\n', ''],
  ['reserved, clock FROM subscriptions', 'reserved, clock, ahead FROM subscriptions'],
  [
    `SELECT coalesce(json_agg(h), '[]'), coalesce(bool_or(h.idempotency IS NOT NULL), false) INTO found, keyed
      FROM holds h`,
    "SELECT coalesce(json_agg(h), '[]') INTO found FROM holds h",
  ],
  [
    `IF keyed OR jsonb_array_length(request->'idempotency') > 0 THEN
    SELECT coalesce(json_agg(i), '[]') INTO records FROM (
      SELECT r.* FROM jsonb_array_elements(request->'idempotency') w
        JOIN idempotency r ON r.subscription = w->>0 AND r.key = w->>1
      UNION
      SELECT r.* FROM holds h JOIN idempotency r ON r.subscription = h.subscription AND r.key = h.idempotency
      WHERE h.id = ANY (wanted_holds)) i;`,
    `IF jsonb_array_length(request->'idempotency') > 0 THEN
    SELECT coalesce(json_agg(r), '[]') INTO records FROM jsonb_array_elements(request->'idempotency') w
      JOIN idempotency r ON r.subscription = w->>0 AND r.key = w->>1;`,
  ],
  [
    'clock = x.clock\n',
    `clock = x.clock,
        ahead = coalesce(x.ahead, s.ahead)\n`,
  ],
  [
    'resolved = x.resolved\n',
    'resolved = x.resolved, reported = x.reported, reason = x.reason, verdict = x.verdict, closed = x.closed\n',
  ],
]);

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
