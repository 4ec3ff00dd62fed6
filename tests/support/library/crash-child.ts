/** Adds documents one batch after the other and prints each id once it was acknowledged, until it is killed. */
import { createFolderStore } from '../../../src/library/segment/store.ts';
import { createLibraryWriter } from '../../../src/library/writer.ts';

const [folder = '', run = '0'] = process.argv.slice(2);
const writer = createLibraryWriter(createFolderStore(folder));
for (let batch = 0; ; batch += 1) {
  const ids = [0, 1, 2].map((at) => `run${run}batch${batch}page${at}`);
  writer.add(
    ids.map((id) => ({
      id,
      url: `https://example.com/${id}`,
      title: id,
      content: `water ${'canal '.repeat(200)}`,
      format: 'text',
      kind: 'page',
    })),
    Date.now(),
  );
  process.stdout.write(`${ids.join(' ')}\n`);
}
