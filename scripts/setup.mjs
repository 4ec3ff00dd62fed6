// Makes `npm start` and `npm test` work on a fresh clone: installs when node_modules is missing or stale, and builds
// when dist is stale. Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, root, sourcesHash } from './sources-hash.mjs';

const wants = new Set(process.argv.slice(2));

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Headgate needs Node 20.19 or newer; this is ${process.version}.`);
}

const lock = hashOf(['package.json', 'package-lock.json']);
const installed = join(root, 'node_modules', '.headgate-lock');
if (!same(installed, lock)) {
  // `npm ci` empties what the link points to, which belongs to another checkout.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() === true)
    fail('node_modules is a link to another checkout whose packages differ. Remove the link and try again.');
  say('installing dependencies …');
  // No install scripts: nothing we depend on needs one, and what does not run cannot surprise.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(installed, lock);
}

const packaging = wants.has('--package');
if (packaging || wants.has('--build')) {
  const sources = sourcesHash();
  // What is built for publishing does for running, but not the other way round.
  const built = join(root, 'dist', '.headgate-sources');
  const isPackaged = same(built, `${sources} package`) && existsSync(join(root, 'package'));
  const isFresh = isPackaged || (!packaging && same(built, sources));
  if (!isFresh) {
    say('building …');
    run(process.execPath, ['scripts/build.mjs', ...(packaging ? ['--package'] : [])]);
    mkdirSync(join(root, 'dist'), { recursive: true });
    writeFileSync(built, packaging ? `${sources} package` : sources);
  }
}

function run(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) fail(`\`${command} ${args.join(' ')}\` failed; see above.`);
}

function same(file, content) {
  return existsSync(file) && readFileSync(file, 'utf8') === content;
}

function say(text) {
  process.stderr.write(`headgate: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
