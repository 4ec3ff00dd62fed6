import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Policy } from '../core/gate.ts';
import { named, own } from '../core/own-text.ts';
import type { Accounts } from './accounts.ts';
import type { Agents } from './agents.ts';
import { sql, type Database } from './database.ts';
import { from, integerColumn, jsonColumn, listRows, rowReader, textColumn, wordColumn } from './rows.ts';
import type { SettingRules } from './rules.ts';

/** The rules of a workspace or of one of its agents. */
export type StoredPolicy = ReturnType<typeof toPolicy>;

const toPolicy = rowReader({
  level: wordColumn<'workspace' | 'agent'>(),
  /** The ID of the workspace or the agent. */
  subject: from('id', textColumn),
  workspace: textColumn,
  rules: jsonColumn<Policy>(),
  created: integerColumn,
});

/** Policies of workspaces and agents; those of the operator are in the configuration. */
export interface Policies {
  /** Replaces the rules of a workspace, or of an agent of it. */
  set(subject: { workspace: string; agent?: string | undefined }, rules: unknown): Promise<StoredPolicy>;
  get(subject: string): Promise<StoredPolicy>;
  /** Those of one workspace, of several, or of all. */
  list(workspaces?: string | readonly string[]): Promise<StoredPolicy[]>;
  remove(subject: string): Promise<StoredPolicy>;
  /** Those that apply to a caller, the workspace's first. */
  of(caller: { workspace?: string; agent?: string }): Promise<StoredPolicy[]>;
}

export function createPolicies(
  database: Database,
  clock: Clock,
  { accounts, agents, rules: check }: { accounts: Accounts; agents: Agents; rules: SettingRules },
): Policies {
  const get = async (subject: string): Promise<StoredPolicy> => {
    const [row] = await database.read('SELECT * FROM policies WHERE id = ?', subject);
    if (row !== undefined) return toPolicy(row);
    throw new HeadgateError('not_found', own`${named(subject)} has no policy.`);
  };
  return {
    get,
    list: async (workspaces) =>
      (await listRows(database, 'policies', { column: 'workspace', ids: workspaces })).map(toPolicy),
    of: async ({ workspace = '', agent = '' }) =>
      (
        await database.read(
          'SELECT * FROM policies WHERE workspace = ? AND id IN (?, ?) ORDER BY level DESC',
          workspace,
          workspace,
          agent,
        )
      ).map(toPolicy),
    remove: async (subject) => {
      const policy = await get(subject);
      await database.write([sql`DELETE FROM policies WHERE id = ${subject}`]);
      return policy;
    },
    set: async ({ workspace, agent }, given) => {
      const rules = check.policy(given);
      const { id } = await accounts.workspace(workspace);
      if (agent !== undefined && (await agents.get(agent)).workspace !== id)
        throw new HeadgateError('invalid_request', own`${named(agent)} belongs to another workspace.`);
      const subject = agent ?? id;
      await database.write([
        sql`INSERT INTO policies (id, level, workspace, rules, created)
            VALUES (${subject}, ${agent === undefined ? 'workspace' : 'agent'}, ${id},
            ${JSON.stringify(rules)}, ${clock.now()}) ON CONFLICT (id) DO UPDATE
            SET rules = excluded.rules, created = excluded.created`,
      ]);
      return get(subject);
    },
  };
}
