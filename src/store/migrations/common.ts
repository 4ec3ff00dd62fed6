import type { Dialect, Migration } from '../migration.ts';
import { budgetsMigration } from './budgets.ts';
import { callsMigration } from './calls.ts';
import { consoleMigration } from './console.ts';
import { freeCallsMigration, tokensMigration } from './free-calls.ts';
import { crawlMigration } from './crawl.ts';
import { leakDepthMigration, leaksMigration } from './leaks.ts';
import { policiesMigration } from './policies.ts';
import { researchMigration, researchTakeoverMigration } from './research.ts';
import { identitiesMigration } from './identities.ts';
import { keysMigration } from './keys.ts';
import { lifecycleMigration } from './lifecycle.ts';
import { ledgerMigration } from './ledger.ts';
import { auditMigration, peopleMigration, secondFactorMigration, workspaceRolesMigration } from './people.ts';
import { signInMigration } from './sign-in.ts';
import { webMigration } from './web.ts';
import { webhooksMigration } from './webhooks.ts';

/** The steps that both databases have. What a database has alone is added in its place. */
export const migrationsOf = (dialect: Dialect, ledger: string, own: readonly Migration[]): Migration[] =>
  [
    ledgerMigration(dialect, ledger),
    consoleMigration(dialect),
    researchMigration(dialect),
    freeCallsMigration(dialect),
    crawlMigration(dialect),
    signInMigration(dialect),
    keysMigration(dialect),
    peopleMigration,
    workspaceRolesMigration(dialect),
    identitiesMigration(dialect),
    budgetsMigration(dialect),
    secondFactorMigration(dialect),
    callsMigration(dialect),
    webhooksMigration(dialect),
    auditMigration,
    lifecycleMigration(dialect),
    tokensMigration(dialect),
    policiesMigration(dialect),
    leaksMigration(dialect),
    leakDepthMigration(dialect),
    webMigration(dialect),
    researchTakeoverMigration(dialect),
    ...own,
  ].toSorted((a, b) => a.version - b.version);
