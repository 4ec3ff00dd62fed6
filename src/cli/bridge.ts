import { BRIDGE_FLAGS, runBridgeProcess, type BridgeEnvironment } from '../bridge/command.ts';
import { HeadgateError } from '../core/errors.ts';
import { ANY_WORKSPACE, createBridgeKeys } from '../gateway/door/bridge-keys.ts';
import { createGovernor, parseToolNumbers } from '../mcp/govern.ts';
import type { Command, OpenedStore } from './command.ts';

/** Serves your own tools over MCP. With `[bridge] workspace`, callers need keys and calls are metered. */
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

type Governed = Pick<BridgeEnvironment, 'authenticate' | 'beforeCall' | 'afterCall'>;

/** The keys, limits and prices when a workspace is configured; otherwise nothing. */
async function governedBy({ store, meter, services, config }: OpenedStore): Promise<Governed> {
  const { workspace, credits, limits } = config.bridge;
  if (workspace === undefined) return {};
  if (store === undefined || meter === undefined)
    throw new HeadgateError('internal', 'The meter was not opened.');
  // An unknown workspace is reported at start-up, not to the first caller.
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
