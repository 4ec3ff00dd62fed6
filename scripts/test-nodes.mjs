// Runs what depends on the version of Node on each one that is supported: the packed package as a user gets it, and the store
// (Node 20 has no SQLite of its own). The versions come from npm, into a temporary folder that stays for the next run.
// `npm run test:nodes [20 22 24]`. A version that cannot be had fails the run: a check that cannot see must fail.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { nodeOf, versionOf } from './nodes.mjs';

const root = join(import.meta.dirname, '..');
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

function say(text) {
  process.stderr.write(`test-nodes: ${text}\n`);
}
