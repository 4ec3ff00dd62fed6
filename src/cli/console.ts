import { HeadgateError } from '../core/errors.ts';
import { setupLink } from '../gateway/console/setup-link.ts';
import type { Command } from './command.ts';

/** Prints a one-time setup link: for the first password, for another person, or when a password is lost. */
export const command: Command = {
  usage: '',
  flags: [],
  run: async ({ print, open }) => {
    const opened = await open({ accounts: true });
    try {
      if (opened.store === undefined) throw new HeadgateError('internal', 'Accounts need a store.');
      const { host, port, public_url: publicUrl } = opened.config.server;
      const own = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
      print(await setupLink(opened.store, publicUrl ?? own));
      return 0;
    } finally {
      await opened.close();
    }
  },
};
