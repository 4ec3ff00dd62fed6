import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const WORKERS = ['worker', 'store-worker', 'library-worker', 'pdf-reader-worker'];

/** Bundles a program of the tests once, as the package is bundled: loading it from source takes seconds at each start. Its threads are those of the build. */
export async function bundled(script: string): Promise<{ file: string; dispose(): void }> {
  // Inside node_modules, so that the parts that are not bundled are found.
  const folder = join(root, 'node_modules', '.headgate-tests', `${process.pid}-${Date.now().toString(36)}`);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [script],
    outdir: folder,
    bundle: true,
    // What a program imports on demand it loads on demand: half of what it would otherwise read at each start, it never uses.
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  for (const name of WORKERS)
    writeFileSync(
      join(folder, `${name}.cjs`),
      `require(${JSON.stringify(join(root, 'dist', `${name}.cjs`))});\n`,
    );
  return {
    file: join(folder, basename(script).replace(/\.ts$/, '.js')),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
