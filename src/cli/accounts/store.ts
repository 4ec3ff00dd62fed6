import { resolve } from 'node:path';
import { switchFlag, valueFlag } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { noteDeed } from '../../store/audit.ts';
import type { CopiedRows } from '../../store/copy/copy-store.ts';
import { isPostgres } from '../../store/store.ts';
import { renderTable } from '../table.ts';
import { COMMAND_LINE, defineVerb, nounCommand, verbOn } from '../verbs.ts';

export const command = nounCommand({
  backup: verbOn(
    'FILE',
    'The file',
    async (store, file) => {
      const path = resolve(file);
      await store.database.backup(path);
      return { path };
    },
    ({ path }) => `Copied and checked: ${path}\n`,
  ),
  check: defineVerb({
    usage: '',
    run: async (store) => {
      const problems = await store.database.check();
      if (problems.length > 0) {
        throw new HeadgateError(
          'storage_unavailable',
          own`The store is damaged: ${named(problems.join(' '))}`,
          {
            remediation: 'Stop Headgate, keep the files for inspection, and restore the last backup.',
          },
        );
      }
      const settings = await store.problems();
      if (settings.length > 0) throw new HeadgateError('conflict', named(settings.join('\n')));
      return { problems };
    },
    render: () => 'No problems found.\n',
  }),
  restore: defineVerb({
    usage: 'FILE [--force]',
    flags: [switchFlag('force', 'Replace a store that is not empty; its file is kept.')],
    words: 1,
    run: async (store, { words, need, args }) => {
      const path = resolve(need(words[0], 'The file'));
      const restored = await store.restore(path, { force: args.isOn('force') === true });
      await noteDeed(store, COMMAND_LINE(), { did: 'store.restore', fields: { file: path } });
      return restored;
    },
    render: ({ kept, rows }) =>
      `${renderCopied(rows, 'The backup was empty.')}\nRestored and checked.${kept === null ? '' : ` The store before it is kept as ${kept}`}\n`,
  }),
  copy: defineVerb({
    usage: '--to postgres://…',
    flags: [valueFlag('to', 'URL', 'The postgres:// address.')],
    run: async (store, { flag, need }) => {
      const to = need(flag('to'), 'The address of the PostgreSQL database (--to)');
      if (!isPostgres(to)) {
        throw new HeadgateError('invalid_request', 'The target must be a postgres:// address.', {
          remediation: 'To copy into a file use `headgate store backup FILE`.',
        });
      }
      return { copied: await store.copyTo(to) };
    },
    render: ({ copied }) =>
      `${renderCopied(copied, 'The store was empty.')}\nCopied and checked. Point every gateway at the new address, and keep the key pepper.\n`,
  }),
});

const renderCopied = (copied: CopiedRows[], empty: string): string =>
  renderTable(
    copied.filter((each) => each.rows > 0),
    [
      { title: 'Table', value: (each) => each.table },
      { title: 'Rows', value: (each) => each.rows, align: 'right' },
    ],
    empty,
  );
