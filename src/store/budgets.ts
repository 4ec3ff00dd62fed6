import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { isMillionths } from '../core/money.ts';
import { named, own } from '../core/own-text.ts';
import type { Accounts } from './accounts.ts';
import { sql, type Database, type DatabaseRow } from './database.ts';
import { BUDGET_LEVELS, BUDGET_UNITS, openBudget, parseUses, rollingHours } from './ledger/budget.ts';
import type { BudgetLevel, BudgetRow, BudgetUnit, BudgetUse } from './ledger/budget.ts';
import { calendarPeriod, isTimeZone } from './ledger/calendar.ts';
import { checkedName, integerColumn, listRows, newId, rowById, textColumn } from './rows.ts';

/** A budget as operators see it. */
export interface SpendBudget extends Omit<BudgetRow, 'subscription' | 'hard'> {
  hard: boolean;
  /** What was used in the current period, with what is reserved now. */
  used: number;
  /** What open requests hold of it. */
  reserved: number;
  left: number;
  /** What will be used when the day or month ends, if it goes on as since its start; null when there is too little to tell. */
  forecast: number | null;
  /** When the period ends, or when something of a rolling one is free again. */
  renews: number | null;
}

export interface BudgetInput {
  workspace: string;
  level: BudgetLevel;
  /** Left out for the workspace itself. */
  subject?: string;
  unit: BudgetUnit;
  amount: number;
  period: string;
  zone?: string;
  hard?: boolean;
}

/** Budgets of workspaces, and of the agents, keys and people in them. */
export interface Budgets {
  /**
   * Sets the budget of a subject for a unit and a period. What was used stays when only the amount or the kind
   * changes; a new budget counts from now on.
   */
  set(input: BudgetInput): Promise<SpendBudget>;
  get(id: string): Promise<SpendBudget>;
  /** Those of one workspace, of several, or of all. */
  list(workspaces?: string | readonly string[]): Promise<SpendBudget[]>;
  remove(id: string): Promise<SpendBudget>;
}

export function createBudgets(database: Database, clock: Clock, accounts: Accounts): Budgets {
  /** What was used is on the accounts. */
  const shown = async (rows: DatabaseRow[]): Promise<SpendBudget[]> => {
    const ids = [...new Set(rows.map((row) => textColumn(row, 'subscription')))];
    const found = await listRows(database, 'subscriptions', { column: 'id', ids });
    const uses = new Map(
      found.map((row) => [textColumn(row, 'id'), parseUses(textColumn(row, 'budget_use'))]),
    );
    return rows.map((row) =>
      toBudget(row, uses.get(textColumn(row, 'subscription'))?.[textColumn(row, 'id')], clock.now()),
    );
  };
  const one = async (row: DatabaseRow): Promise<SpendBudget> => (await shown([row]))[0] as SpendBudget;
  const get = async (id: string): Promise<SpendBudget> =>
    one(await rowById(database, 'budgets', id, 'budget'));
  const find = async (key: (string | number)[]): Promise<DatabaseRow | undefined> => {
    const where = 'workspace = ? AND level = ? AND subject = ? AND unit = ? AND period = ?';
    return (await database.read(`SELECT * FROM budgets WHERE ${where}`, ...key))[0];
  };
  const subjectOf = async ({ workspace, level, subject }: BudgetInput): Promise<string> => {
    if (level === 'workspace') return workspace;
    const id = checkedName(subject ?? '', level);
    if (level === 'person') return id;
    const row = await rowById(database, level === 'agent' ? 'agents' : 'api_keys', id, level);
    if (textColumn(row, 'workspace') === workspace) return id;
    throw new HeadgateError('invalid_request', own`${named(level)}: belongs to another workspace.`);
  };
  return {
    get,
    list: async (workspaces) =>
      shown(await listRows(database, 'budgets', { column: 'workspace', ids: workspaces })),
    remove: async (id) => {
      const budget = await get(id);
      await database.write([sql`DELETE FROM budgets WHERE id = ${id}`]);
      return budget;
    },
    set: async (input) => {
      const { workspace, level, unit, amount, hard = true, zone = 'UTC' } = input;
      const period = checkedPeriod(input.period);
      if (!BUDGET_LEVELS.includes(level) || !BUDGET_UNITS.includes(unit)) throw invalid('level or unit');
      if (!isMillionths(amount) || amount < 0) throw invalid('amount');
      if (!isTimeZone(zone)) throw badZone(zone);
      const { subscription } = await accounts.workspace(workspace);
      const subject = await subjectOf(input);
      const key = [workspace, level, subject, unit, period];
      const before = await find(key);
      const now = clock.now();
      // Another time zone has other days: a new ID, so that nothing is given back to a slot of the old one.
      const isKept = before !== undefined && textColumn(before, 'zone') === zone;
      const id = isKept ? textColumn(before, 'id') : newId('budget', now);
      if (
        before === undefined &&
        (await listRows(database, 'budgets', { column: 'workspace', ids: workspace })).length >=
          LIMITS.budgetsPerWorkspaceMax
      )
        throw new HeadgateError(
          'limit_reached',
          `A workspace has at most ${LIMITS.budgetsPerWorkspaceMax} budgets.`,
        );
      const insert = {
        sql: `INSERT INTO budgets (id, subscription, workspace, level, subject, unit, period, amount, zone, hard, created)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
              ON CONFLICT (workspace, level, subject, unit, period) DO UPDATE SET amount = excluded.amount, hard = excluded.hard`,
        values: [id, subscription, ...key, amount, zone, hard ? 1 : 0, now],
      };
      const gone = sql`DELETE FROM budgets WHERE id = ${before === undefined ? '' : textColumn(before, 'id')}`;
      await database.write(before === undefined || isKept ? [insert] : [gone, insert]);
      const set = await find(key);
      if (set === undefined) throw new HeadgateError('conflict', 'The budget was removed at the same time.');
      return one(set);
    },
  };
}

/** `day`, `month`, or a rolling time such as `12h` or `7d`, which is stored in hours. */
export function checkedPeriod(text: string): string {
  if (text === 'day' || text === 'month') return text;
  const [, count = '', unit] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  if (hours >= 1 && hours <= LIMITS.budgetHoursMax) return `${hours}h`;
  throw new HeadgateError('invalid_request', own`"${named(text)}" is not a period of a budget.`, {
    remediation: 'Use day, month, or a rolling time such as 12h or 7d, at most 90d.',
  });
}

const invalid = (what: string): HeadgateError =>
  new HeadgateError('invalid_request', own`${named(what)}: this is not a budget.`, {
    remediation: 'Give a whole number from 0 of credits, or of millionths of a dollar.',
  });

const badZone = (zone: string): HeadgateError =>
  new HeadgateError('invalid_request', own`"${named(zone)}" is not a time zone.`, {
    remediation: 'Use a name such as UTC, Europe/Berlin or Asia/Tokyo.',
  });

function toBudget(row: DatabaseRow, use: BudgetUse | undefined, now: number): SpendBudget {
  const amount = integerColumn(row, 'amount');
  const hard = integerColumn(row, 'hard');
  const budget = openBudget({ ...(row as unknown as BudgetRow), amount, hard }, use, now);
  const { used, renewsInMs } = budget.standing();
  const isRolling = rollingHours(textColumn(row, 'period')) !== undefined;
  const reserved = budget.use()[0].reduce((sum, [, , held]) => sum + held, 0);
  return {
    id: textColumn(row, 'id'),
    workspace: textColumn(row, 'workspace'),
    level: textColumn(row, 'level') as BudgetLevel,
    subject: textColumn(row, 'subject'),
    unit: textColumn(row, 'unit') as BudgetUnit,
    amount,
    period: textColumn(row, 'period'),
    zone: textColumn(row, 'zone'),
    hard: hard === 1,
    used,
    reserved,
    left: amount - used,
    forecast: isRolling ? null : forecastOf(row, used - reserved, now),
    renews: renewsInMs === null || (isRolling && used === 0) ? null : now + renewsInMs,
  };
}

/** The least time from which the rest of a period is foretold, and the least part of the period. */
const TELLING_MS = 3_600_000;
const TELLING_PART = 0.05;

/** A new budget counts from the moment it was made. */
function forecastOf(row: DatabaseRow, settled: number, now: number): number | null {
  const kind = textColumn(row, 'period') === 'day' ? 'day' : 'month';
  const { start, end } = calendarPeriod(kind, textColumn(row, 'zone'), now);
  const elapsed = now - Math.max(start, integerColumn(row, 'created'));
  if (settled === 0 || elapsed < Math.max(TELLING_MS, TELLING_PART * (end - start))) return null;
  return Math.round(settled + (settled / elapsed) * (end - now));
}
