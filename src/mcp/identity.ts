import type { ServerIdentity } from '../bridge/mcp/answers.ts';
import { VERSION } from '../core/version.ts';
import type { Toolset } from '../toolsets/tool.ts';

/** The server name, version and instructions of a toolset. */
export const identityOf = (toolset: Pick<Toolset, 'serverName' | 'instructions'>): ServerIdentity => ({
  name: toolset.serverName,
  version: VERSION,
  capabilities: { resources: {}, prompts: {}, completions: {}, logging: {} },
  ...(toolset.instructions === undefined ? {} : { instructions: toolset.instructions }),
});
