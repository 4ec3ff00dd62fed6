import { valueFlag } from '../../core/command-line.ts';
import type { AgentSettingsInput } from '../../store/agent-settings.ts';
import type { Agent } from '../../store/agents.ts';
import { renderTable } from '../table.ts';
import { lifeVerbs } from './life.ts';
import { defineVerb, listVerb, nounCommand, type VerbArgs, verbOn } from '../verbs.ts';

const columns = [
  { title: 'agent', value: (row: Agent) => row.id },
  { title: 'name', value: (row: Agent) => row.name },
  { title: 'workspace', value: (row: Agent) => row.workspace },
  { title: 'search_web', value: (row: Agent) => row.settings.searchWebProvider ?? 'off' },
  { title: 'fetch_url', value: (row: Agent) => row.settings.fetchWebProvider ?? 'off' },
];

const render = (rows: Agent | Agent[]): string =>
  renderTable([rows].flat(), columns, 'No agents yet: headgate agent create NAME --workspace ID');

/** `off` switches a tool off; an absent flag leaves it as it is. */
function settings(flag: VerbArgs['flag']): AgentSettingsInput {
  const chosen = (name: string): string | null | undefined => {
    const value = flag(name);
    return value === 'off' || value === 'none' ? null : value;
  };
  const [search, fetch] = [chosen('search'), chosen('fetch')];
  return {
    ...(search === undefined ? {} : { searchWebProvider: search }),
    ...(fetch === undefined ? {} : { fetchWebProvider: fetch }),
  };
}

export const command = nounCommand({
  create: defineVerb({
    usage: 'NAME [flags]',
    flags: [
      valueFlag('workspace', 'ID', 'The workspace it belongs to.'),
      valueFlag('search', 'PROVIDER|off', 'The provider of search_web.'),
      valueFlag('fetch', 'PROVIDER|off', 'The provider of fetch_url.'),
    ],
    words: Number.POSITIVE_INFINITY,
    run: (store, { words, flag, need }) =>
      store.agents.create({
        workspace: need(flag('workspace'), '--workspace'),
        name: need(words.join(' '), 'The name'),
        settings: settings(flag),
      }),
    render,
  }),
  set: defineVerb({
    usage: 'ID [flags]',
    flags: [
      valueFlag('search', 'PROVIDER|off', 'The provider of search_web.'),
      valueFlag('fetch', 'PROVIDER|off', 'The provider of fetch_url.'),
    ],
    words: 1,
    run: (store, { words, flag, need }) =>
      store.agents.update(need(words[0], 'The agent'), { settings: settings(flag) }),
    render,
  }),
  list: listVerb((store, workspace) => store.agents.list(workspace), render),
  show: verbOn('ID', 'The agent', (store, id) => store.agents.get(id), render),
  ...lifeVerbs('agent'),
});
