// Bundles src/ into dist/: one small package without runtime dependencies, split so that a command loads only what it uses.
import { build, transform } from 'esbuild';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Native or optional parts are loaded on demand from node_modules.
  external: ['libsql', 'pg-native', 'playwright-core', 'tsx'],
  minify: true,
  // Names of errors reach people, so they survive.
  keepNames: true,
  legalComments: 'none',
  logLevel: 'warning',
};

rmSync(join(root, 'dist'), { recursive: true, force: true });

// The bin is one small CommonJS file: Node starts it without its module loader, which is half of the start-up of `mcp`.
// What it imports on demand is left out and lives in the ES modules beside it.
const lazy = new Set();
await build({
  ...shared,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.cjs',
  format: 'cjs',
  plugins: [
    {
      name: 'lazy-parts',
      setup(context) {
        context.onResolve({ filter: /^\./ }, (args) => {
          if (args.kind !== 'dynamic-import') return undefined;
          const name = relative(source, join(args.resolveDir, args.path)).replace(/\.ts$/, '');
          // The MCP front is what must start fast, so it is in the bin.
          if (name === 'surfaces/cli/mcp') return undefined;
          lazy.add(name);
          return { path: `./${name}.js`, external: true };
        });
      },
    },
  ],
});
chmodSync(join(root, 'dist/main.cjs'), 0o755);

const exported = [
  'index',
  'bridge',
  'extract',
  'rank',
  'client',
  'worker',
  'store-worker',
  'library-worker',
].filter((name) => existsSync(join(source, `${name}.ts`)));
await build({
  ...shared,
  entryPoints: [...exported, ...lazy].map((name) => `src/${name}.ts`),
  outdir: 'dist',
  outbase: 'src',
  splitting: true,
  format: 'esm',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  chunkNames: 'chunks/[name]-[hash]',
});

// The console is served as it is written; only the libraries it uses are made smaller.
const consoleFolder = join(root, 'dist/console');
cpSync(join(source, 'surfaces/console/static'), consoleFolder, { recursive: true });
mkdirSync(join(consoleFolder, 'vendor'));
for (const { name, file } of JSON.parse(readFileSync(join(source, 'surfaces/console/vendor.json'), 'utf8'))) {
  const code = readFileSync(join(root, 'node_modules', file), 'utf8').replaceAll(
    'from"preact"',
    'from"./preact.js"',
  );
  const loader = name.endsWith('.css') ? 'css' : 'js';
  const made = await transform(code, { loader, minify: true, legalComments: 'none' });
  writeFileSync(join(consoleFolder, 'vendor', name), made.code);
}
