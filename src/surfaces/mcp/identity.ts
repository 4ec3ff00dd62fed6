import type { ServerIdentity } from '../../bridge/mcp/answers.ts';
import { VERSION } from '../../core/version.ts';
import type { Toolset } from '../../tools/tool.ts';

/** How a toolset's server introduces itself. */
export const identityOf = (toolset: Pick<Toolset, 'serverName' | 'instructions'>): ServerIdentity => ({
  name: toolset.serverName,
  version: VERSION,
  ...(toolset.instructions === undefined ? {} : { instructions: toolset.instructions }),
});
