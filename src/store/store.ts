import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import { createAccounts } from './accounts.ts';
import { createAgents } from './agents.ts';
import { copyStore } from './copy/copy-store.ts';
import { restorePostgres, restoreSqlite } from './copy/restore.ts';
import { createBudgets } from './budgets.ts';
import { createCalls } from './calls.ts';
import { createCrawlStore } from './crawl-sessions.ts';
import { createCrawlFrontier } from './crawl-frontier.ts';
import { sql } from './database.ts';
import { createDoubts } from './doubts.ts';
import { createGrants } from './grants.ts';
import { createIdentities } from './identities.ts';
import { createKeys } from './keys.ts';
import { createApprovals } from './approvals.ts';
import { createLeaks } from './leaks.ts';
import { createLifecycle } from './lifecycle.ts';
import { openPostgres } from './postgres/postgres.ts';
import { createPeople } from './people.ts';
import { createPolicies } from './policies.ts';
import { createReports } from './reports.ts';
import { anySetting, type SettingRules } from './rules.ts';
import { settingProblems } from './setting-problems.ts';
import { createResearchStore } from './research-sessions.ts';
import { createSecondFactors } from './second-factor.ts';
import { createSessions } from './sessions.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { OpenChannel } from './sqlite/thread.ts';
import { createWebhooks } from './webhooks.ts';

/** The store: the database and everything in it. Nothing is opened before the first call. */
export type Store = ReturnType<typeof createStore>;

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

export function createStore(options: StoreOptions) {
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
    /** Validates tiers and providers of agents. */
    rules,
    /** Stored settings that are invalid, each with the command that fixes it. */
    problems: () => settingProblems({ accounts, agents }, rules),
    budgets: createBudgets(database, clock, accounts),
    /** The call log. */
    calls: createCalls(database),
    /** Where events are delivered. */
    webhooks: createWebhooks(database, clock),
    crawls: createCrawlStore(database),
    /** Crawls that all gateways work on; only PostgreSQL has them. */
    frontier: database.dialect === 'postgres' ? createCrawlFrontier(database) : undefined,
    /** Requests in doubt. */
    doubts: createDoubts(database),
    /** What people let clients do. */
    grants: createGrants(database, clock, keys),
    /** People who sign in through an identity provider. */
    identities: createIdentities(database, clock),
    factors: createSecondFactors(database, clock),
    keys,
    /** Renames, archives and deletes. */
    life: createLifecycle(database, clock),
    people: createPeople(database, clock),
    policies: createPolicies(database, clock, { accounts, agents, rules }),
    /** What callers were shown and told, and what people are asked about it. */
    leaks: createLeaks(database, clock),
    approvals: createApprovals(database, clock),
    reports: createReports(database),
    research: createResearchStore(database),
    /** People who sign in to the console. */
    sessions: createSessions(database, clock, options.passwordCost),
    /** Throws unless the store can be written now; a full disk can still be read. */
    checkWritable: async () => {
      await database.write([
        sql`UPDATE health SET padding = ${PADDING}`,
        { sql: "UPDATE health SET padding = ''" },
      ]);
    },
    /** Copies everything into an empty PostgreSQL database. */
    copyTo: (url: string) => copyStore(database, url, { clock, log }),
    /** Replaces the store by a backup; call it before anything else, while nobody uses the store. */
    restore: async (from: string, { force }: { force: boolean }) =>
      isPostgres(location)
        ? restorePostgres(from, location, { clock, log })
        : restoreSqlite({ from, path: location, clock, force, isHome }),
    close: () => database.close(),
  };
}
