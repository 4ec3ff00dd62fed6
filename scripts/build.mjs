// Bundles src/ into dist/: one small package without runtime dependencies, split so that a command loads only what it uses.
import { build } from 'esbuild';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const entries = ['main', 'index', 'bridge', 'extract', 'rank', 'client', 'worker', 'store-worker'].filter(
  (name) => existsSync(join(root, `src/${name}.ts`)),
);

rmSync(join(root, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: entries.map((name) => `src/${name}.ts`),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Native or optional parts are loaded on demand from node_modules.
  external: ['libsql', 'pg', 'playwright-core', 'tsx'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  loader: { '.json': 'json' },
  logLevel: 'warning',
});
