import type { Policy } from '../core/gate.ts';

/**
 * Validates settings. Each function takes an input and returns what to store, or throws
 * `invalid_request`.
 */
export interface SettingRules {
  tier(name: string): string;
  agentProvider(tool: 'search' | 'fetch', name: string): string;
  policy(rules: unknown): Policy;
  /** The snapshots that a workspace is set to: names of files, separated by commas. */
  web(names: string): string;
}

/** Accepts everything; for stores without a configuration. */
export const anySetting: SettingRules = {
  tier: (name) => name,
  agentProvider: (_tool, name) => name,
  policy: (rules) => rules as Policy,
  web: (names) => names,
};
