// What a build depends on, as one hash: `dist/.headgate-sources` holds it, so that nobody builds, or tests, what is already there. No dependencies.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

export function sourcesHash() {
  return hashOf([
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/build.mjs',
    ...walk('scripts/build'),
    ...walk('src').filter((file) => !file.endsWith('.test.ts')),
  ]);
}

/** Whether `dist` was built from the source as it is now. */
export function isBuilt() {
  const file = join(root, 'dist', '.headgate-sources');
  return existsSync(file) && readFileSync(file, 'utf8').split(' ')[0] === sourcesHash();
}

export function hashOf(files) {
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
