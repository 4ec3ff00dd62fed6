import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { launchCommand } from './launch-command.ts';

describe('launchCommand', () => {
  test('a clone is started by the path of its file', () => {
    const file = place('clone/dist/main.cjs');
    expect(launchCommand(file, '/usr/bin')).toEqual({ command: 'node', args: [file] });
  });

  test('a clone that was linked onto the PATH is started by name', () => {
    const file = place('clone/dist/main.cjs');
    const bin = join(dirname(file), '../../prefix/bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(file, join(bin, 'headgate'));
    const path = ['/usr/bin', bin].join(delimiter);
    expect(launchCommand(file, path)).toEqual({ command: 'headgate', args: [] });
    expect(launchCommand(join(bin, 'headgate'), path)).toEqual({ command: 'headgate', args: [] });
  });

  test('another headgate on the PATH is not this one', () => {
    const file = place('clone/dist/main.cjs');
    const other = place('other/headgate');
    expect(launchCommand(file, dirname(other))).toEqual({ command: 'node', args: [file] });
  });

  test('a `.bin` folder is on the PATH only while npm runs, so it does not count', () => {
    const file = place('project/node_modules/headgate/dist/main.cjs');
    const bin = join(dirname(file), '../../.bin');
    mkdirSync(bin);
    symlinkSync(file, join(bin, 'headgate'));
    expect(launchCommand(join(bin, 'headgate'), bin)).toEqual({ command: 'node', args: [file] });
  });

  test.each(['.npm/_npx/0a1b2c', 'project'])(
    'in %s, what came from a registry is started by npx',
    (folder) => {
      const file = place(`${folder}/node_modules/headgate/dist/main.cjs`);
      note(file, 'https://registry.example.com/headgate/-/headgate-0.1.0.tgz');
      expect(launchCommand(file)).toEqual({ command: 'npx', args: ['-y', 'headgate'] });
    },
  );

  test('what came from a tarball is started by its path: npx would not find it', () => {
    const file = place('.npm/_npx/0a1b2c/node_modules/headgate/dist/main.cjs');
    note(file, 'file:../../headgate-0.1.0.tgz');
    expect(launchCommand(file)).toEqual({ command: 'node', args: [file] });
  });
});

/** An empty file at this path in a folder of its own. */
function place(path: string): string {
  const file = join(realpathSync(mkdtempSync(join(tmpdir(), 'headgate-launch-'))), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
}

/** npm's note about where it has the package from. */
function note(file: string, resolved: string): void {
  const packages = { 'node_modules/headgate': { version: '0.1.0', resolved } };
  writeFileSync(join(dirname(file), '../../.package-lock.json'), JSON.stringify({ packages }));
}
