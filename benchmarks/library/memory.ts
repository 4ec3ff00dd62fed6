/** Opens a library, asks the queries given on stdin as JSON and prints the resident megabytes afterwards. */
import { readFileSync } from 'node:fs';
import { createLibraryReader } from '../../src/library/reader.ts';
import { createFolderStore } from '../../src/library/segment-store.ts';

const reader = createLibraryReader(createFolderStore(process.argv[2] ?? ''));
for (const text of JSON.parse(readFileSync(0, 'utf8')) as string[])
  reader.search({ text, resultsMax: 10 }, 0);
console.log(Math.round(process.memoryUsage.rss() / 1e6));
