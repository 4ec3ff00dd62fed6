import type { Migration } from '../migration.ts';

/** Budgets with what was used of them, and the outbox of events. What a hold took from budgets is on the hold. */
export const budgetsMigration = (integer: 'INTEGER' | 'BIGINT', end: string): Migration => ({
  version: 14,
  name: 'budgets',
  sql: `
CREATE TABLE budgets (
  id TEXT PRIMARY KEY,
  subscription TEXT NOT NULL,
  workspace TEXT NOT NULL,
  level TEXT NOT NULL,
  subject TEXT NOT NULL,
  unit TEXT NOT NULL,
  amount ${integer} NOT NULL CHECK (amount >= 0),
  period TEXT NOT NULL,
  zone TEXT NOT NULL,
  hard INTEGER NOT NULL,
  used TEXT NOT NULL,
  created ${integer} NOT NULL,
  UNIQUE (workspace, level, subject, unit, period)
)${end};
CREATE INDEX budgets_of_subscription ON budgets(subscription);
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  period ${integer} NOT NULL,
  threshold ${integer} NOT NULL,
  workspace TEXT,
  data TEXT NOT NULL,
  at ${integer} NOT NULL,
  UNIQUE (subject, kind, period, threshold)
)${end};
CREATE INDEX events_by_time ON events(at);
ALTER TABLE holds ADD COLUMN budgets TEXT;
`,
});
