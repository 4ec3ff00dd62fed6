import { resolve } from 'node:path';
import { HeadgateError } from '../../../core/errors.ts';
import { defineVerb, nounCommand } from '../verbs.ts';

export const command = nounCommand('store', 'The database of workspaces, keys and credits.', {
  backup: defineVerb({
    usage: 'headgate store backup FILE',
    flags: [],
    run: async (store, { words, need }) => {
      const path = resolve(need(words[0], 'The file'));
      await store.database.backup(path);
      return { path };
    },
    render: ({ path }) => `Copied and checked: ${path}\n`,
  }),
  check: defineVerb({
    usage: 'headgate store check',
    flags: [],
    run: async (store) => {
      const problems = await store.database.check();
      if (problems.length === 0) return { problems };
      throw new HeadgateError('storage_unavailable', `The store is damaged: ${problems.join(' ')}`, {
        remediation: 'Stop Headgate, keep the files for inspection, and restore the last backup.',
      });
    },
    render: () => 'Everything adds up.\n',
  }),
});
