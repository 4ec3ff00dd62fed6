import { BRIDGE_USAGE, runBridgeProcess } from '../../bridge/command.ts';
import { HeadgateError } from '../../core/errors.ts';
import { createGovernor, parseToolCredits } from '../mcp/govern.ts';
import type { Command } from './command.ts';

/** Serves anybody's tools over MCP; with `[bridge] workspace` every call is counted and charged to it. */
export const command: Command = {
  name: 'bridge',
  usage: BRIDGE_USAGE,
  summary: 'Serve your own tools over MCP.',
  run: async ({ args, print, signal, open }) => {
    if (args.includes('--help') || args.includes('-h')) {
      print(BRIDGE_USAGE);
      return 0;
    }
    const opened = await open({ accounts: true });
    const { workspace, token, credits } = opened.config.bridge;
    const { log: logger } = opened.services;
    if (workspace !== undefined && opened.meter === undefined)
      throw new HeadgateError('internal', 'The meter was not opened.');
    const hooks =
      workspace === undefined || opened.meter === undefined
        ? {}
        : createGovernor({ meter: opened.meter, workspace, creditsOf: parseToolCredits(credits) });
    try {
      await runBridgeProcess(args, { signal, logger, ...hooks, ...(token === undefined ? {} : { token }) });
      return 0;
    } finally {
      await opened.close();
      // A tool's own timers would keep the process alive after its client has gone.
      setTimeout(() => process.exit(), 100).unref();
    }
  },
};
