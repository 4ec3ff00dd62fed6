import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { simulate } from './simulate.ts';

/** A bug as a change of the source: what is there, and what would be wrong. */
export interface Mutant {
  name: string;
  /** Below `src/`. */
  file: string;
  changes: [right: string, wrong: string][];
}

const SOURCES = resolve(import.meta.dirname, '../../../src');

/** The simulation over a source with a bug. Throws when the source no longer has the passages. */
export async function simulationOf(
  { name, file, changes }: Mutant,
  folder: string,
): Promise<typeof simulate> {
  let source = readFileSync(join(SOURCES, file), 'utf8');
  for (const [right, wrong] of changes) {
    if (source.split(right).length !== 2) throw new Error(`${file} no longer has the passage: ${right}`);
    source = source.replace(right, () => wrong);
  }
  const outfile = join(folder, `${name.replace(/\W+/g, '-')}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, 'simulate.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    plugins: [
      {
        name: 'mutant',
        setup: (builder) => {
          builder.onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === join(SOURCES, file) ? { contents: source, loader: 'ts' } : undefined,
          );
        },
      },
    ],
  });
  return ((await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { simulate: typeof simulate })
    .simulate;
}
