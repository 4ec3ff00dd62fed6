import { z } from 'zod';
import { integer } from '../contract/fields.ts';
import { booleanLeaf, list } from './leaf.ts';

/** The `[library]` section: the local index. */
export const library = z
  .strictObject({
    index_project: booleanLeaf()
      .default(true)
      .describe(
        'Whether `headgate serve` indexes the documentation of the packages in `node_modules` of the folder it is started in.',
      ),
    keep: booleanLeaf()
      .default(false)
      .describe('Whether every page that is read is added to the library of its workspace.'),
    keep_days: integer(1, 3_650).default(30).describe('How long such a page stays in the library.'),
    keep_megabytes: integer(1, 100_000)
      .default(256)
      .describe('How much space such pages of one workspace may take; the oldest are removed first.'),
    roots: list()
      .default([])
      .describe('Folders from which the console and the admin API may add files; none by default.'),
  })
  .prefault({});
