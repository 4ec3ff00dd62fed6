/** The scopes of API keys. */
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

/** The web tools that can be switched on for an agent. */
export type WebTool = 'search' | 'fetch';

/** What a caller may use. */
export interface Grant {
  /** The scopes of the key; absent without a key. */
  scopes?: readonly KeyScope[];
  /** The tools of the acting agent; absent when no agent acts. */
  tools?: readonly WebTool[];
}
