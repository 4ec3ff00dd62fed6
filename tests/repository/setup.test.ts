import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('node_modules that is a link to another checkout is not emptied', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-setup-'));
  try {
    for (const name of ['scripts', 'package.json', 'package-lock.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other/precious'), '');
    symlinkSync(join(folder, 'other'), join(folder, 'node_modules'));
    const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('node_modules is a link to another checkout');
    expect(existsSync(join(folder, 'other/precious'))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
