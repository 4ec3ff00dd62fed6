/** What API keys can be limited to. */
export const KEY_SCOPES = [
  'search',
  'extract',
  'crawl',
  'research',
  'tools',
  'admin:read',
  'admin:write',
] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** The web tools that an agent has or does not have. */
export type WebTool = 'search' | 'fetch';

/** What a caller may use. */
export interface Grant {
  /** The scopes of the key; absent without a key. */
  scopes?: readonly KeyScope[];
  /** The tools of the agent that acts; absent when no agent acts. */
  tools?: readonly WebTool[];
}
