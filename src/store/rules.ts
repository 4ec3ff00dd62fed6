/**
 * Validates settings. Each function takes an input and returns the name to store, or throws
 * `invalid_request`.
 */
export interface SettingRules {
  tier(name: string): string;
  agentProvider(tool: 'search' | 'fetch', name: string): string;
}

/** Accepts everything; for stores without a configuration. */
export const anySetting: SettingRules = { tier: (name) => name, agentProvider: (_tool, name) => name };
