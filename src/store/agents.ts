import type { Clock } from '../core/clock.ts';
import {
  type AgentSettings,
  type AgentSettingsInput,
  migrateAgentSettings,
  readAgentSettings,
} from './agent-settings.ts';
import { sql, type Database } from './database.ts';
import { anySetting, type SettingRules } from './rules.ts';
import {
  checkedName,
  integerColumn,
  integerOrNull,
  listRows,
  newId,
  rowById,
  rowReader,
  textColumn,
} from './rows.ts';

const toAgent = rowReader({
  id: textColumn,
  workspace: textColumn,
  name: textColumn,
  settings: (row) => readAgentSettings(textColumn(row, 'settings')),
  created: integerColumn,
  updated: integerColumn,
  archived: integerOrNull,
});
export type Agent = ReturnType<typeof toAgent>;

export interface Agents {
  create(input: {
    workspace: string;
    name: string;
    id?: string;
    settings?: AgentSettingsInput;
  }): Promise<Agent>;
  /** Fields that are not given stay unchanged. */
  update(id: string, change: { name?: string; settings?: AgentSettingsInput }): Promise<Agent>;
  get(id: string): Promise<Agent>;
  list(workspace?: string | readonly string[]): Promise<Agent[]>;
}

export function createAgents(database: Database, clock: Clock, rules: SettingRules = anySetting): Agents {
  const get = async (id: string) => toAgent(await rowById(database, 'agents', id, 'agent'));
  return {
    get,
    create: async ({ workspace, name, id = newId('agent', clock.now()), settings = {} }) => {
      await rowById(database, 'workspaces', workspace, 'workspace');
      const now = clock.now();
      const kept = JSON.stringify(checked(migrateAgentSettings(settings), NOTHING, rules));
      await database.write([
        sql`INSERT INTO agents (id, workspace, name, settings, created, updated)
            VALUES (${checkedName(id, 'agent id')}, ${workspace}, ${checkedName(name, 'agent name')},
            ${kept}, ${now}, ${now})`,
      ]);
      return get(id);
    },
    update: async (id, change) => {
      const before = await get(id);
      const wanted = migrateAgentSettings(change.settings ?? {}, before.settings);
      const settings = checked(wanted, before.settings, rules);
      const name = change.name === undefined ? before.name : checkedName(change.name, 'agent name');
      await database.write([
        sql`UPDATE agents SET name = ${name}, settings = ${JSON.stringify(settings)},
            updated = ${clock.now()} WHERE id = ${id}`,
      ]);
      return get(id);
    },
    list: async (workspace) =>
      (await listRows(database, 'agents', { column: 'workspace', ids: workspace })).map(toAgent),
  };
}

const NOTHING: AgentSettings = { searchWebProvider: null, fetchWebProvider: null };

/** Checks only what changes, so that an invalid setting does not prevent other changes. */
function checked(wanted: AgentSettings, before: AgentSettings, rules: SettingRules): AgentSettings {
  const { searchWebProvider: search, fetchWebProvider: fetch } = wanted;
  return {
    searchWebProvider:
      search === null || search === before.searchWebProvider ? search : rules.agentProvider('search', search),
    fetchWebProvider:
      fetch === null || fetch === before.fetchWebProvider ? fetch : rules.agentProvider('fetch', fetch),
  };
}
