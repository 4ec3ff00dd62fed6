import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packHeadgate, root, type Packed } from '../support/packed.ts';
import { sized } from '../support/sized.ts';

/** The examples against the package as it is published: each checks itself and ends with an error when something is wrong. */
const run = promisify(execFile);
const files = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
const programs = files.filter((name) => name !== 'world.ts');
/** Each starts a web of its own, and most a gateway. */
const all = programs.length;
const count = sized('examples that are run, not only compiled', { small: 1, large: all, full: all });
let packed: Packed;

beforeAll(() => {
  packed = packHeadgate();
  cpSync(join(root, 'examples'), join(packed.folder, 'examples'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(join(root, 'node_modules', name), join(packed.folder, 'node_modules', name), { recursive: true });
  }
  // Node 20 has no SQLite of its own; npm would have installed this optional part where it can.
  const parts = ['libsql', '@libsql', '@neon-rs', 'detect-libc'];
  for (const name of parts.filter((part) => existsSync(join(root, 'node_modules', part)))) {
    cpSync(join(root, 'node_modules', name), join(packed.folder, 'node_modules', name), { recursive: true });
  }
  // As JavaScript they start without a loader.
  buildSync({
    entryPoints: programs.map((name) => join(packed.folder, 'examples', name)),
    outdir: join(packed.folder, 'examples'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
}, 180_000);
afterAll(() => packed.remove());

describe('examples', () => {
  test('there are more than twelve, each under 60 lines, and the list of them is complete', () => {
    const support = new Set(['world.ts', 'README.md', 'frameworks', 'frameworks/model.ts']);
    const folder = join(root, 'examples');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !support.has(name),
    );
    expect(names.length).toBeGreaterThan(12);
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(names.filter((name) => !readme.includes(`(${name})`))).toEqual([]);
    const long = names.filter((name) => readFileSync(join(folder, name), 'utf8').split('\n').length > 60);
    expect(long).toEqual([]);
  });

  test('their types are right', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options =
      '--noEmit --strict --module nodenext --target es2023 --lib es2023 --types node --allowImportingTsExtensions';
    const paths = files.map((name) => join('examples', name));
    const result = await run(process.execPath, [compiler, ...options.split(' '), ...paths], {
      cwd: packed.folder,
    }).catch((thrown: { stdout: string }) => thrown);
    expect(result.stdout).toBe('');
  });

  test.each(programs.slice(-count))('%s runs and finds its answers right', async (name) => {
    const { stdout } = await run(process.execPath, [join('examples', name.replace(/\.ts$/, '.mjs'))], {
      cwd: packed.folder,
      timeout: 50_000,
    });
    expect(stdout.trim()).not.toBe('');
  });
});
