import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Agents, createAgents } from './agents.ts';
import { type CopiedRows, copyStore } from './copy/copy-store.ts';
import { type Restored, restorePostgres, restoreSqlite } from './copy/restore.ts';
import { createBudgets, type Budgets } from './budgets.ts';
import { type Calls, createCalls } from './calls.ts';
import { createCrawlStore, type CrawlStore } from './crawl-sessions.ts';
import { createCrawlFrontier, type CrawlFrontier } from './crawl-frontier.ts';
import { sql, type Database } from './database.ts';
import { createDoubts, type Doubts } from './doubts.ts';
import { createGrants, type Grants } from './grants.ts';
import { createIdentities, type Identities } from './identities.ts';
import { createKeys, type Keys } from './keys.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { createLeaks, type Leaks } from './leaks.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { openPostgres } from './postgres/postgres.ts';
import { createPeople, type People } from './people.ts';
import { createPolicies, type Policies } from './policies.ts';
import { createReports, type Reports } from './reports.ts';
import { anySetting, type SettingRules } from './rules.ts';
import { settingProblems } from './setting-problems.ts';
import { createResearchStore, type ResearchStore } from './research-sessions.ts';
import { createSecondFactors, type SecondFactors } from './second-factor.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { OpenChannel } from './sqlite/thread.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

/** The store: the database and everything in it. Nothing is opened before the first call. */
export interface Store {
  database: Database;
  accounts: Accounts;
  agents: Agents;
  budgets: Budgets;
  /** The call log. */
  calls: Calls;
  crawls: CrawlStore;
  /** Crawls that all gateways work on; only PostgreSQL has them. */
  frontier: CrawlFrontier | undefined;
  /** Requests in doubt. */
  doubts: Doubts;
  /** What people let clients do. */
  grants: Grants;
  /** People who sign in through an identity provider. */
  identities: Identities;
  factors: SecondFactors;
  keys: Keys;
  /** Renames, archives and deletes. */
  life: Lifecycle;
  people: People;
  policies: Policies;
  /** What callers were shown and told, and what people are asked about it. */
  leaks: Leaks;
  approvals: Approvals;
  reports: Reports;
  research: ResearchStore;
  /** People who sign in to the console. */
  sessions: Sessions;
  /** Where events are delivered. */
  webhooks: Webhooks;
  /** Validates tiers and providers of agents. */
  rules: SettingRules;
  /** Stored settings that are invalid, each with the command that fixes it. */
  problems(): Promise<string[]>;
  /** Copies everything into an empty PostgreSQL database. */
  copyTo(url: string): Promise<CopiedRows[]>;
  /** Replaces the store by a backup; call it before anything else, while nobody uses the store. */
  restore(from: string, options: { force: boolean }): Promise<Restored>;
  /** Throws unless the store can be written now; a full disk can still be read. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** A SQLite file or a `postgres://` address. */
  location: string;
  clock: Clock;
  log: Logger;
  /**
   * True for a gateway, which locks other gateways out of a SQLite file; commands and stdio servers share it.
   */
  exclusive: boolean;
  /** Whether a SQLite file is in Headgate's own home. */
  isHome?: boolean;
  /** Mixed into the hashes of API keys, so that a stolen database alone cannot be searched for them. */
  pepper?: string;
  /** Validates tiers and providers of agents; without it, anything is accepted. */
  rules?: SettingRules;
  /** The cost of checking a password; tests lower it. */
  passwordCost?: number;
  /** The thread that owns the SQLite file; tests share one. */
  connect?: OpenChannel;
}

/** More than a database page, so that writing it needs space. */
const PADDING = ' '.repeat(16_384);

/** True when a location is a PostgreSQL address. */
export const isPostgres = (location: string | undefined): location is string =>
  location !== undefined && /^postgres(ql)?:\/\//.test(location);

export function createStore(options: StoreOptions): Store {
  const { location, clock, exclusive, log, rules = anySetting } = options;
  const { isHome = false, connect } = options;
  const own = connect === undefined ? {} : { connect };
  const database = isPostgres(location)
    ? openPostgres({ url: location, clock, log })
    : openSqlite({ path: location, clock, exclusive, log, isHome, ...own });
  const accounts = createAccounts(database, clock, rules);
  const agents = createAgents(database, clock, rules);
  const keys = createKeys(database, clock, options.pepper);
  return {
    database,
    accounts,
    agents,
    rules,
    problems: () => settingProblems({ accounts, agents }, rules),
    budgets: createBudgets(database, clock, accounts),
    calls: createCalls(database),
    webhooks: createWebhooks(database, clock),
    crawls: createCrawlStore(database),
    frontier: database.dialect === 'postgres' ? createCrawlFrontier(database) : undefined,
    doubts: createDoubts(database),
    grants: createGrants(database, clock, keys),
    identities: createIdentities(database, clock),
    factors: createSecondFactors(database, clock),
    keys,
    life: createLifecycle(database, clock),
    people: createPeople(database, clock),
    policies: createPolicies(database, clock, { accounts, agents, rules }),
    leaks: createLeaks(database, clock),
    approvals: createApprovals(database, clock),
    reports: createReports(database),
    research: createResearchStore(database),
    sessions: createSessions(database, clock, options.passwordCost),
    checkWritable: async () => {
      await database.write([
        sql`UPDATE health SET padding = ${PADDING}`,
        { sql: "UPDATE health SET padding = ''" },
      ]);
    },
    copyTo: (url) => copyStore(database, url, { clock, log }),
    restore: async (from, { force }) =>
      isPostgres(location)
        ? restorePostgres(from, location, { clock, log })
        : restoreSqlite({ from, path: location, clock, force, isHome: options.isHome ?? false }),
    close: () => database.close(),
  };
}
