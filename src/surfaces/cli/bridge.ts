import { BRIDGE_FLAGS, runBridgeProcess, type BridgeWorld } from '../../bridge/command.ts';
import { HeadgateError } from '../../core/errors.ts';
import { ANY_WORKSPACE, createBridgeKeys } from '../mcp/bridge-keys.ts';
import { createGovernor, parseToolNumbers } from '../mcp/govern.ts';
import type { Command, Opened } from './command.ts';

/** Serves anybody's tools over MCP; with `[bridge] workspace` callers show keys, and every call is counted and charged. */
export const command: Command = {
  usage: 'MODULE [flags]',
  flags: BRIDGE_FLAGS,
  words: Number.POSITIVE_INFINITY,
  run: async ({ args, signal, open }) => {
    const opened = await open({ accounts: true });
    const { token } = opened.config.bridge;
    const { log: logger } = opened.services;
    try {
      const governed = await governedBy(opened);
      await runBridgeProcess(args, {
        signal,
        logger,
        ...governed,
        ...(token === undefined || governed.authenticate !== undefined ? {} : { token }),
      });
      return 0;
    } finally {
      await opened.close();
      // A tool's own timers would keep the process alive after its client has gone.
      setTimeout(() => process.exit(), 100).unref();
    }
  },
};

type Governed = Pick<BridgeWorld, 'authenticate' | 'beforeCall' | 'afterCall'>;

/** Keys, limits and prices when a workspace is set; nothing otherwise. */
async function governedBy({ store, meter, services, config }: Opened): Promise<Governed> {
  const { workspace, credits, limits } = config.bridge;
  if (workspace === undefined) return {};
  if (store === undefined || meter === undefined)
    throw new HeadgateError('internal', 'The meter was not opened.');
  // A workspace that does not exist is told now, not to the first caller.
  if (workspace !== ANY_WORKSPACE) await store.accounts.workspace(workspace);
  const { clock } = services;
  const creditsOf = parseToolNumbers('credits', credits);
  const governor = createGovernor({
    meter,
    reports: store.reports,
    clock,
    ...(workspace === ANY_WORKSPACE ? {} : { workspace }),
    creditsOf: (tool) => creditsOf(tool) ?? 1,
    limitOf: parseToolNumbers('limits', limits),
  });
  const requestsPerMinute = config.server.requests_per_minute;
  return {
    ...governor,
    authenticate: createBridgeKeys({ keys: store.keys, clock, requestsPerMinute, workspace }),
  };
}
