import type { Dialect, Migration } from '../migration.ts';

/** Where events are delivered, and what became of each delivery. */
export const webhooksMigration = ({ integer, end }: Dialect): Migration => ({
  version: 17,
  name: 'webhooks',
  sql: `
ALTER TABLE events ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_to_queue ON events(at) WHERE queued = 0;
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  workspace TEXT,
  url TEXT NOT NULL,
  format TEXT NOT NULL,
  kinds TEXT NOT NULL,
  secret TEXT NOT NULL,
  secret_before TEXT,
  before_until ${integer} NOT NULL DEFAULT 0,
  created ${integer} NOT NULL,
  disabled ${integer},
  reason TEXT,
  failing ${integer},
  lease TEXT,
  lease_until ${integer} NOT NULL DEFAULT 0,
  next ${integer} NOT NULL DEFAULT 0
)${end};
CREATE TABLE deliveries (
  webhook TEXT NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next ${integer} NOT NULL,
  result TEXT,
  at ${integer} NOT NULL,
  PRIMARY KEY (webhook, event)
)${end};
CREATE INDEX deliveries_waiting ON deliveries(webhook, next) WHERE state = 'waiting';
CREATE INDEX deliveries_old ON deliveries(at);
`,
});
