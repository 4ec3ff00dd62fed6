import { changedSql, type Dialect, type Migration } from '../migration.ts';
import { LEDGER_FUNCTIONS } from './unit-of-work.ts';

/** Budgets with what was used of them, and the outbox of events. What a hold took from budgets is on the hold. */
export const budgetsMigration = ({ integer, end }: Dialect): Migration => ({
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

/** What was used of the budgets of an account moves to the account, which every booking reads and writes anyway. */
const budgetUse = (all: string): string => `
ALTER TABLE subscriptions ADD COLUMN budget_use TEXT NOT NULL DEFAULT '';
UPDATE subscriptions SET budget_use = (SELECT ${all} FROM budgets b WHERE b.subscription = subscriptions.id AND b.used <> '')
  WHERE EXISTS (SELECT 1 FROM budgets b WHERE b.subscription = subscriptions.id AND b.used <> '');
ALTER TABLE budgets DROP COLUMN used;
`;

const BUDGET_USE = { version: 23, name: 'budget-use' };

export const sqliteBudgetUseMigration: Migration = {
  ...BUDGET_USE,
  sql: budgetUse('json_group_object(b.id, json(b.used))'),
};

/** The budgets are read by the function that reads the accounts, when they are locked. */
export const postgresBudgetUseMigration: Migration = {
  ...BUDGET_USE,
  sql: `${budgetUse('json_object_agg(b.id, b.used::json)::text')}${changedSql(LEDGER_FUNCTIONS, [
    ['clock, ahead FROM subscriptions', 'clock, ahead, budget_use FROM subscriptions'],
    [
      "RETURN json_build_object('now', moment,",
      `RETURN json_build_object('now', moment, 'budgets', (SELECT coalesce(json_agg(d), '[]') FROM (
      SELECT id, subscription, workspace, level, subject, unit, amount, period, zone, hard FROM budgets
      WHERE subscription = ANY (wanted)) d),`,
    ],
    [
      'ahead = coalesce(x.ahead, s.ahead)',
      'ahead = coalesce(x.ahead, s.ahead), budget_use = coalesce(x.budget_use, s.budget_use)',
    ],
  ])}`,
};
