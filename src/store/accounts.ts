import type { KeptTexts } from '../core/call-row.ts';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { asOfTime } from '../core/scope.ts';
import { isMillionths, type Millionths } from '../core/money.ts';
import { sql, type Database } from './database.ts';
import { anySetting, type SettingRules } from './rules.ts';
import {
  checkedName,
  flagColumn,
  from,
  integerColumn,
  integerOrNull,
  listRows,
  newId,
  rowById,
  rowReader,
  textColumn,
  textOrNull,
} from './rows.ts';

const toSubscription = rowReader({
  id: textColumn,
  name: textColumn,
  tier: textColumn,
  /** Millionths of a dollar, as the two below it. */
  balance: integerColumn,
  /** The sum of the open holds. */
  reserved: integerColumn,
  /** What new calls may reserve. */
  available: (row) => integerColumn(row, 'balance') - integerColumn(row, 'reserved'),
  created: integerColumn,
});
export type Subscription = ReturnType<typeof toSubscription>;

const toWorkspace = rowReader({
  id: textColumn,
  name: textColumn,
  subscription: textColumn,
  created: integerColumn,
  /** When it was archived; its calls are refused since then. */
  archived: integerOrNull,
  /** Which texts of its calls the call log keeps. */
  keeps: (row): KeptTexts => ({
    queries: flagColumn(row, 'keep_queries'),
    answers: flagColumn(row, 'keep_answers'),
  }),
  /** The snapshots that answer its calls instead of the web: names of files, separated by commas. */
  web: textOrNull,
  /** The date, or the time, whose web its calls see; later ones are refused. Only with a snapshot. */
  asOf: from('as_of', textOrNull),
  /** When its web was set. */
  webSet: from('web_set', integerOrNull),
});
export type Workspace = ReturnType<typeof toWorkspace>;

export interface Accounts {
  createSubscription(input: { name: string; tier: string; id?: string }): Promise<Subscription>;
  subscription(id: string): Promise<Subscription>;
  subscriptions(ids?: readonly string[]): Promise<Subscription[]>;
  setTier(id: string, tier: string): Promise<Subscription>;
  /** Creates a workspace of an existing subscription, or of a new one with `tier` (default: free). */
  createWorkspace(input: {
    name: string;
    id?: string;
    subscription?: string;
    tier?: string;
  }): Promise<Workspace>;
  workspace(id: string): Promise<Workspace>;
  workspaces(ids?: readonly string[]): Promise<Workspace[]>;
  /** Changes which texts of its calls are kept. What was kept before stays until it is too old. */
  setKeeps(id: string, keeps: Partial<KeptTexts>): Promise<Workspace>;
  /** Sets or clears the snapshots and the date that its calls see. Setting them again starts the replay anew. */
  setWeb(id: string, web: Partial<Pick<Workspace, 'web' | 'asOf'>>): Promise<Workspace>;
  /** Adds credits, or takes them back when negative. The same reference is booked once. */
  topUp(input: {
    subscription: string;
    amount: Millionths;
    note?: string;
    reference?: string;
  }): Promise<{ balance: Millionths; already: boolean }>;
}

export function createAccounts(database: Database, clock: Clock, rules: SettingRules = anySetting): Accounts {
  const subscription = async (id: string) =>
    toSubscription(await rowById(database, 'subscriptions', id, 'subscription'));
  const workspace = async (id: string) => toWorkspace(await rowById(database, 'workspaces', id, 'workspace'));
  return {
    subscription,
    workspace,
    subscriptions: async (ids) =>
      (await listRows(database, 'subscriptions', { column: 'id', ids })).map(toSubscription),
    workspaces: async (ids) =>
      (await listRows(database, 'workspaces', { column: 'id', ids })).map(toWorkspace),
    setKeeps: async (id, keeps) => {
      const { queries, answers } = { ...(await workspace(id)).keeps, ...keeps };
      await database.write([
        sql`UPDATE workspaces SET keep_queries = ${queries ? 1 : 0}, keep_answers = ${answers ? 1 : 0}
            WHERE id = ${id}`,
      ]);
      return workspace(id);
    },
    setWeb: async (id, given) => {
      const before = await workspace(id);
      const names = given.web === undefined ? before.web : given.web;
      // The date goes with the snapshot.
      const asOf = given.asOf === undefined ? (names === null ? null : before.asOf) : given.asOf;
      if (asOf !== null) checkAsOf(asOf, names);
      await database.write([
        sql`UPDATE workspaces SET web = ${names === null ? null : rules.web(names)}, as_of = ${asOf},
            web_set = ${clock.now()} WHERE id = ${id}`,
      ]);
      return workspace(id);
    },
    createSubscription: async ({ name, tier, id = newId('sub', clock.now()) }) => {
      await database.write([insertSubscription({ id, name, tier: rules.tier(tier) }, clock.now())]);
      return subscription(id);
    },
    setTier: async (id, tier) => {
      await subscription(id);
      await database.write([
        sql`UPDATE subscriptions SET tier = ${checkedName(rules.tier(tier), 'tier')} WHERE id = ${id}`,
      ]);
      return subscription(id);
    },
    createWorkspace: async (input) => {
      const now = clock.now();
      const id = checkedName(input.id ?? newId('ws', now), 'workspace id');
      const name = checkedName(input.name, 'workspace name');
      const owner = input.subscription ?? newId('sub', now);
      if (input.subscription !== undefined) await subscription(owner);
      const insert = sql`INSERT INTO workspaces (id, name, subscription, created) VALUES (${id}, ${name}, ${owner}, ${now})`;
      const made = insertSubscription({ id: owner, name, tier: rules.tier(input.tier ?? 'free') }, now);
      await database.write(input.subscription === undefined ? [made, insert] : [insert]);
      return workspace(id);
    },
    topUp: async ({ subscription: id, amount, note, reference = newId('top', clock.now()) }) => {
      if (!isMillionths(amount) || amount === 0) throw badAmount();
      const answer = await database.book({
        kind: 'grant',
        subscription: id,
        reference: checkedName(reference, 'reference'),
        amount,
        note: note === undefined ? null : checkedName(note, 'note'),
      });
      if (answer.status === 'granted') return { balance: answer.balance, already: answer.already };
      if (answer.status === 'overflow') throw badAmount();
      await subscription(id);
      throw new HeadgateError('internal', 'The top-up was not understood.');
    },
  };
}

function checkAsOf(asOf: string, web: string | null): void {
  if (web === null)
    throw new HeadgateError('invalid_request', 'as_of: this workspace has no snapshot to look back into.', {
      remediation: 'Set its web to a snapshot, too.',
    });
  if (Number.isNaN(asOfTime(asOf)))
    throw new HeadgateError('invalid_request', 'as_of: this is neither a date nor a time.', {
      remediation: 'Give a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z.',
    });
}

function insertSubscription(input: { id: string; name: string; tier: string }, now: number) {
  return sql`INSERT INTO subscriptions (id, name, tier, created)
      VALUES (${checkedName(input.id, 'subscription id')}, ${checkedName(input.name, 'name')},
      ${checkedName(input.tier, 'tier')}, ${now})`;
}

function badAmount(): HeadgateError {
  return new HeadgateError(
    'invalid_request',
    'The amount is not a whole number of millionths that can be booked.',
    {
      remediation: 'Give a whole number other than 0 that keeps the balance within ±9,007,199,254 dollars.',
    },
  );
}
