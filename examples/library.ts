// An index over files of your own, searched without any network; with `provider: "local"` every search can ask it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './world.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-example-'));
const headgate = (...args: string[]): string =>
  execFileSync(process.execPath, [bin, ...args], {
    env: { ...process.env, HEADGATE_HOME: home },
    encoding: 'utf8',
  });
try {
  const notes = join(home, 'notes');
  mkdirSync(notes);
  writeFileSync(
    join(notes, 'gate.md'),
    '# The headgate\n\nIt was built in 1911 and lets water into the canal.\n',
  );
  writeFileSync(join(notes, 'mill.md'), '# The mill\n\nIt has ground wheat since 1742.\n');
  console.log(headgate('library', 'add', notes));

  const found = headgate('library', 'search', 'when was the headgate built');
  console.log(found);
  assert.match(found, /The headgate[^]*1911/);
} finally {
  rmSync(home, { recursive: true, force: true });
}
