// Makes `npm start` and `npm test` work on a fresh clone: installs when node_modules is missing or stale, and builds
// when dist is stale. Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const wants = new Set(process.argv.slice(2));

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Headgate needs Node 20.19 or newer; this is ${process.version}.`);
}

const lock = hash(['package.json', 'package-lock.json']);
const installed = join(root, 'node_modules', '.headgate-lock');
if (!same(installed, lock)) {
  say('installing dependencies …');
  // No install scripts: nothing we depend on needs one, and what does not run cannot surprise.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(installed, lock);
}

const packaging = wants.has('--package');
if (packaging || wants.has('--build')) {
  const sources = hash([
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/build.mjs',
    ...walk('scripts/build'),
    ...walk('src'),
  ]);
  // What is built for publishing does for running, but not the other way round.
  const built = join(root, 'dist', '.headgate-sources');
  const isFresh = same(built, `${sources} package`) || (!packaging && same(built, sources));
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

function hash(files) {
  const sum = createHash('sha256').update(process.version);
  for (const file of files) {
    if (existsSync(join(root, file))) sum.update(file).update(readFileSync(join(root, file)));
  }
  return sum.digest('hex');
}

function walk(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? walk(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();
}

function say(text) {
  process.stderr.write(`headgate: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
