// Makes a release: checks, tests, then the package, the .mcpb bundle, the bill of materials, the notes, sums over all of them and a
// statement of what they were built from. `npm run release -- --dry-run [folder]` makes the files and says what it leaves out: tests,
// tag and publication. `--publish` publishes from continuous integration, where npm can sign the provenance.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const [folder = 'release'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isDry = flags.includes('--dry-run');
const isPublishing = flags.includes('--publish');
const unknown = flags.filter((flag) => flag !== '--dry-run' && flag !== '--publish');
if (unknown.length > 0 || (isDry && isPublishing))
  stop('Usage: npm run release -- [--dry-run | --publish] [folder]');

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = resolve(folder);
const notes = notesOf(version);
checkTree();
step('run every check and test', 'bash', ['.ci/run']);
mkdirSync(out, { recursive: true });
if (isDry) run('node', ['scripts/setup.mjs', '--package']);
else run('node', ['scripts/build.mjs', '--package']);
const archive = run('npm', ['pack', '--silent', '--pack-destination', out], join(root, 'package'))
  .trim()
  .split('\n')
  .at(-1);
run('node', ['scripts/make-mcpb.mjs', out]);
cpSync(join(root, 'package/dist/sbom.cdx.json'), join(out, `headgate-${version}.cdx.json`));
writeFileSync(join(out, 'NOTES.md'), notes);
writeFileSync(join(out, 'provenance.json'), `${JSON.stringify(provenance(), null, 2)}\n`);
writeFileSync(
  join(out, 'SHA256SUMS'),
  filesIn()
    .map((name) => `${sumOf(name)}  ${name}\n`)
    .join(''),
);
say(`${out}: ${filesIn().join(', ')}, SHA256SUMS`);
if (isPublishing && process.env.GITHUB_ACTIONS !== 'true')
  stop(
    'Publish from continuous integration: npm signs the provenance with its identity. The files are made.',
  );
step('tag the commit', 'git', ['tag', '--annotate', `v${version}`, '--message', `Headgate ${version}`]);
if (isPublishing || isDry)
  step('publish', 'npm', ['publish', join(out, archive), '--provenance', '--access', 'public']);

/** The section of the changelog, which must have been closed with a date. */
function notesOf(wanted) {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, head = '', body = ''] =
    new RegExp(`^## ${wanted.replaceAll('.', '\\.')} \\((.+)\\)\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(
      changelog,
    ) ?? [];
  if (body.trim() === '')
    stop(`CHANGELOG.md has no section for ${wanted}. Write one for the people who upgrade.`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(head))
    problem(`CHANGELOG.md says "${wanted} (${head})". Write the day of the release there.`);
  return `# Headgate ${wanted}\n\n${body.trim()}\n`;
}

function checkTree() {
  if (run('git', ['status', '--porcelain']).trim() !== '')
    problem('The working tree has changes. Commit or remove them.');
  if (run('git', ['tag', '--list', `v${version}`]).trim() !== '')
    problem(`The tag v${version} exists. Raise the version.`);
}

/** What the files were made from, as an in-toto statement. npm signs one of its own when it publishes. */
function provenance() {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: filesIn()
      .filter((name) => name !== 'provenance.json')
      .map((name) => ({ name, digest: { sha256: sumOf(name) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'scripts/release.mjs',
        externalParameters: { version },
        resolvedDependencies: [
          { name: 'git', digest: { gitCommit: run('git', ['rev-parse', 'HEAD']).trim() } },
          {
            name: 'package-lock.json',
            digest: { sha256: sha256(readFileSync(join(root, 'package-lock.json'))) },
          },
          { name: 'node', annotations: { version: process.version } },
        ],
      },
      runDetails: { builder: { id: process.env.GITHUB_WORKFLOW_REF ?? 'a machine of the releaser' } },
    },
  };
}

function filesIn() {
  return readdirSync(out)
    .filter((name) => name.includes(version) || name === 'NOTES.md' || name === 'provenance.json')
    .sort();
}

function sumOf(name) {
  return sha256(readFileSync(join(out, name)));
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function run(command, args, cwd = root) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** What costs hours or cannot be taken back is only named in a dry run. */
function step(what, command, args) {
  if (isDry) say(`left out: ${what} (${command} ${args.join(' ')})`);
  else execFileSync(command, args, { cwd: root, stdio: 'inherit' });
}

function problem(text) {
  if (!isDry) stop(text);
  say(`would stop: ${text}`);
}

function say(text) {
  console.log(`release: ${text}`);
}

function stop(text) {
  console.error(`release: ${text}`);
  process.exit(1);
}
