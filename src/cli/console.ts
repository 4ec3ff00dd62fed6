import { HeadgateError } from '../core/errors.ts';
import { consoleUrl, setupLink } from '../gateway/console/setup-link.ts';
import { audited } from '../store/audit.ts';
import type { Command } from './command.ts';
import { COMMAND_LINE } from './verbs.ts';

/** Prints a one-time setup link: for the first password, for another person, or when a password is lost. */
export const command: Command = {
  usage: '',
  run: async ({ print, open }) => {
    const opened = await open({ accounts: true });
    if (opened.store === undefined) throw new HeadgateError('internal', 'Accounts need a store.');
    const store = audited(opened.store, COMMAND_LINE());
    print(await setupLink(store, consoleUrl(opened.config.server)));
    return 0;
  },
};
