// Runs what depends on the version of Node on each one that is supported: the packed package as a user gets it, and the store
// (Node 20 has no SQLite of its own). The versions come from npm, into a temporary folder that stays for the next run.
// `npm run test:nodes [20 22 24]`. A version that cannot be had fails the run: a check that cannot see must fail.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cache = join(tmpdir(), 'headgate-nodes');
const SUITES = [
  'tests/package/package.test.ts',
  'tests/ledger/store.test.ts',
  'tests/ledger/meter.test.ts',
  'tests/library',
];

const given = process.argv.slice(2);
const failed = [];
for (const major of given.length > 0 ? given : ['20', '22', '24']) {
  const binary = nodeOf(major);
  const version = binary === undefined ? undefined : versionOf(binary);
  if (version === undefined) {
    say(`Node ${major} could not be installed.`);
    failed.push(major);
    continue;
  }
  say(`Node ${version}: ${SUITES.join(' ')}`);
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const result = spawnSync(binary, [vitest, 'run', ...SUITES], { cwd: root, env, stdio: 'inherit' });
  if (result.status !== 0) failed.push(version);
}
say(failed.length === 0 ? 'all versions pass.' : `FAILED on ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);

/** The binary of a major version: this one, or one from npm; what the package `node` would run in its install script. */
function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(cache, major);
  const binary = join(
    folder,
    'node_modules',
    name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  say(`installing ${name}@${major} …`);
  spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${major}`],
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
      timeout: 600_000,
    },
  );
  return existsSync(binary) ? binary : undefined;
}

function versionOf(binary) {
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function say(text) {
  process.stderr.write(`test-nodes: ${text}\n`);
}
