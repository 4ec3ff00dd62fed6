import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { LibraryDocument } from '../document.ts';
import { decodeFile, readBounded, documentTitleOf } from './read-file.ts';
import { walkFiles, type WalkOptions } from './walk.ts';

const DECLARATION_BYTES_MAX = 256 * 1024;
const PAGE_BYTES_MAX = 1024 * 1024;
const DECLARATIONS_MAX = 24;
const PAGES_MAX = 200;
const NESTING_MAX = 4;
/** Folders without documentation for users of a package. */
const SKIPPED =
  /^(node_modules|test|tests|__tests__|spec|fixtures?|coverage|\.git|\.github|examples?|benchmarks?)$/i;
const DECLARATION = /\.d\.(ts|mts|cts)$/;

export interface InstalledPackage {
  name: string;
  version: string;
  description: string;
  folder: string;
}

/** The packages installed in a project, with exact versions, each version once. */
export function installedPackages(project: string): InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  collect(join(project, 'node_modules'), 0, found);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function collect(modules: string, depth: number, found: Map<string, InstalledPackage>): void {
  if (depth > NESTING_MAX || !existsSync(modules)) return;
  for (const name of readdirSync(modules).sort()) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) {
      for (const inner of readdirSync(join(modules, name)).sort())
        collectOne(join(modules, name, inner), depth, found);
    } else collectOne(join(modules, name), depth, found);
  }
}

function collectOne(folder: string, depth: number, found: Map<string, InstalledPackage>): void {
  const manifest = readManifest(folder);
  if (manifest === undefined) return;
  const key = `${manifest.name}@${manifest.version}`;
  if (found.has(key)) return;
  found.set(key, { ...manifest, folder });
  collect(join(folder, 'node_modules'), depth + 1, found);
}

function readManifest(folder: string): Omit<InstalledPackage, 'folder'> | undefined {
  try {
    const { name, version, description } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof version !== 'string') return undefined;
    return { name, version, description: typeof description === 'string' ? description : '' };
  } catch {
    // A folder without a readable manifest is not a package.
    return undefined;
  }
}

/** The README, other pages, changelog and type declarations of a package. */
export function* packageDocuments(
  installed: InstalledPackage,
  options: Pick<WalkOptions, 'roots' | 'problem'>,
): Generator<LibraryDocument> {
  let declarations = 0;
  let pages = 0;
  const walking: WalkOptions = {
    ...options,
    enters: (name) => !SKIPPED.test(name),
    wants: (path) =>
      DECLARATION.test(path) ||
      /\.(md|markdown)$/i.test(path) ||
      /^(readme|changelog|history)(\.txt)?$/i.test(basename(path)),
  };
  for (const path of walkFiles(installed.folder, walking)) {
    const isDeclaration = DECLARATION.test(path);
    if (isDeclaration ? declarations >= DECLARATIONS_MAX : pages >= PAGES_MAX) continue;
    const document = readPackageFile(path, installed, isDeclaration, options);
    if (document === undefined) continue;
    if (isDeclaration) declarations += 1;
    else pages += 1;
    yield document;
  }
}

function readPackageFile(
  path: string,
  { name, version, description, folder }: InstalledPackage,
  isDeclaration: boolean,
  { problem }: Pick<WalkOptions, 'problem'>,
): LibraryDocument | undefined {
  const file = relative(folder, path).split(sep).join('/');
  const url = `npm:${name}@${version}/${file}`;
  try {
    const content = decodeFile(
      path,
      readBounded(path, isDeclaration ? DECLARATION_BYTES_MAX : PAGE_BYTES_MAX),
    );
    const isReadme = /^readme/i.test(file);
    const format = isDeclaration ? ('text' as const) : ('markdown' as const);
    const heading = isDeclaration ? undefined : documentTitleOf(content, 'markdown');
    const about = isReadme ? description : (heading ?? '');
    const title = `${name} ${version} · ${about === '' ? file : about}`;
    return { id: url, url, title, content, format, kind: 'package', package: name, version };
  } catch (thrown) {
    problem(path, thrown);
    return undefined;
  }
}
