// Makes headgate-VERSION.mcpb, the bundle that Claude Desktop installs when it is opened: the package as npm would publish it,
// with the reader of PDFs beside it, since nothing is installed there. `npm run mcpb [folder]`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { zip } from './build/zip.mjs';

const root = join(import.meta.dirname, '..');
const published = join(root, 'package');
const listed = spawnSync('npm', ['pack', '--dry-run', '--json'], {
  cwd: published,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
  shell: process.platform === 'win32',
});
// Newer npm prints an object, older a list.
const [{ version, files }] = Object.values(JSON.parse(listed.stdout));
const entries = [
  { name: 'manifest.json', bytes: readFileSync(join(root, 'packaging/mcpb/manifest.json')) },
  ...files.map(({ path }) => ({ name: path, bytes: readFileSync(join(published, path)) })),
  ...walk(join(root, 'node_modules/unpdf'))
    .filter((file) => /(\.mjs|package\.json|LICENSE)$/.test(file))
    .map((file) => ({ name: relative(root, file).split(sep).join('/'), bytes: readFileSync(file) })),
];
const file = join(resolve(process.argv[2] ?? '.'), `headgate-${version}.mcpb`);
const bytes = zip(entries);
writeFileSync(file, bytes);
console.log(`${file}: ${entries.length} files, ${(bytes.length / 1e6).toFixed(1)} MB`);

function walk(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}
