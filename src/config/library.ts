import { z } from 'zod';
import { integer } from '../contract/fields.ts';
import { flag, list } from './leaf.ts';

/** The `[library]` section: the local index. */
export const library = z
  .strictObject({
    index_project: flag()
      .default(true)
      .describe(
        'Whether `headgate serve` indexes the documentation of what is installed in `node_modules` of the folder it is started in.',
      ),
    keep: flag().default(false).describe('Whether every page that is read is kept, per workspace.'),
    keep_days: integer(1, 3_650).default(30).describe('How long a kept page is found.'),
    keep_megabytes: integer(1, 100_000)
      .default(256)
      .describe('How much the kept pages of one workspace may take; the oldest go first.'),
    roots: list()
      .default([])
      .describe('Folders from which the console and the admin API may add files; none by default.'),
  })
  .prefault({});
