import type { WebTool } from '../core/grant.ts';

/** The web tools of an agent. `null` switches a tool off. */
export interface AgentSettings {
  searchWebProvider: string | null;
  fetchWebProvider: string | null;
}

/** Settings as input: from old records, imports or a form. */
export interface AgentSettingsInput {
  searchWebProvider?: string | null;
  fetchWebProvider?: string | null;
  /** Legacy name for `searchWebProvider: "tavily"`. */
  enableTavilySearch?: boolean | null;
  /** Legacy name for `fetchWebProvider: "tavily"`. */
  enableTavilyFetch?: boolean | null;
}

/**
 * The only reader of agent settings (agent spec 1.2). A provider or `null` wins over a legacy flag. Flags are
 * never written back, so a tool that was switched off stays off.
 */
export function migrateAgentSettings(input: AgentSettingsInput, before?: AgentSettings): AgentSettings {
  return {
    searchWebProvider: chosen(input.searchWebProvider, input.enableTavilySearch, before?.searchWebProvider),
    fetchWebProvider: chosen(input.fetchWebProvider, input.enableTavilyFetch, before?.fetchWebProvider),
  };
}

/** Parses stored settings. */
export const readAgentSettings = (stored: string): AgentSettings =>
  migrateAgentSettings(JSON.parse(stored) as AgentSettingsInput);

/** The tools that are switched on. */
export const webToolsOf = (settings: AgentSettings): WebTool[] => [
  ...(settings.searchWebProvider === null ? [] : (['search'] as const)),
  ...(settings.fetchWebProvider === null ? [] : (['fetch'] as const)),
];

function chosen(
  provider: string | null | undefined,
  flag: boolean | null | undefined,
  before: string | null | undefined,
): string | null {
  if (provider !== undefined) return provider;
  if (flag !== undefined && flag !== null) return flag ? 'tavily' : null;
  return before ?? null;
}
