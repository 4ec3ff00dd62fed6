/** What a setting may be. Each takes what somebody wrote, and returns the name that is stored or throws `invalid_request`. */
export interface SettingRules {
  tier(name: string): string;
  agentProvider(tool: 'search' | 'fetch', name: string): string;
}

/** For stores without a configuration. */
export const anySetting: SettingRules = { tier: (name) => name, agentProvider: (_tool, name) => name };
