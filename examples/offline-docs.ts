// The docs of the packages that you have installed, indexed once and searched without a network.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHeadgate } from 'headgate';
import { startWorld } from './world.ts';

const world = await startWorld();
const web = createHeadgate({ env: world.env, home: world.home });
try {
  // A project with one dependency; in yours, `npm install` has made it.
  const modules = join(world.home, 'node_modules');
  mkdirSync(join(modules, 'tides'), { recursive: true });
  writeFileSync(join(modules, 'tides/package.json'), '{ "name": "tides", "version": "2.1.0" }');
  writeFileSync(
    join(modules, 'tides/README.md'),
    '# Tides\n\n## Retries\n\nPass `retries: 3` to ask the station again.\n',
  );
  console.log(world.run('library', 'add', modules));
  await world.endWeb();

  const { results } = await web.search({ query: 'how do I retry in tides', provider: 'local' });
  console.log(`${results[0]?.title}\n${results[0]?.content}`);
  assert.match(results[0]?.content ?? '', /retries: 3/);
} finally {
  await web.close();
  await world.end();
}
