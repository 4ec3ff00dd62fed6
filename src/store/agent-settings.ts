import type { WebTool } from '../core/grant.ts';

/** What an agent is set up to use. `null` means that the tool is switched off; an absent field was never set. */
export interface AgentSettings {
  searchWebProvider: string | null;
  fetchWebProvider: string | null;
}

/** Settings as they may come in: from old records, from imports, from a form. */
export interface AgentSettingsInput {
  searchWebProvider?: string | null;
  fetchWebProvider?: string | null;
  /** Old name for `searchWebProvider: "tavily"`. */
  enableTavilySearch?: boolean | null;
  /** Old name for `fetchWebProvider: "tavily"`. */
  enableTavilyFetch?: boolean | null;
}

/**
 * The one reader of agent settings. A provider or `null` wins over the old flag, and the flags are not in the result: what is
 * written back has lost them for good, so a tool that was switched off stays off.
 */
export function migrateAgentSettings(input: AgentSettingsInput, before?: AgentSettings): AgentSettings {
  return {
    searchWebProvider: chosen(input.searchWebProvider, input.enableTavilySearch, before?.searchWebProvider),
    fetchWebProvider: chosen(input.fetchWebProvider, input.enableTavilyFetch, before?.fetchWebProvider),
  };
}

/** Settings as they are stored. */
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
