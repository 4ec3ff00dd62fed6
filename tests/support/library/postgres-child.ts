/** Adds pages to a shared library one after the other and prints each id once it was acknowledged, until it is killed. */
import { systemClock } from '../../../src/core/clock.ts';
import { createLibrary } from '../../../src/library/library.ts';

const [database = '', folder = '', run = '0'] = process.argv.slice(2);
const library = createLibrary({ database, folder, clock: systemClock });
for (let at = 0; ; at += 1) {
  const id = `run${run}page${at}`;
  const content = `estuary ${'canal '.repeat(200)}`;
  await library.add([
    { id, url: `https://example.com/${id}`, title: id, content, format: 'text', kind: 'page' },
  ]);
  process.stdout.write(`${id}\n`);
}
