// Bundles src/ into dist/: one small package without runtime dependencies, split so that a command loads only what it uses.
// With `--package` it also makes what only a published package needs: declarations, notices and the bill of materials.
import { build, transform } from 'esbuild';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { writeNotices } from './build/notices.mjs';
import { withSharedShapes } from './build/shapes.mjs';
import { smaller } from './build/smaller.mjs';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
const dist = join(root, 'dist');
const packaging = process.argv.includes('--package');
const EXPORTED = ['index', 'bridge', 'extract', 'extract-web', 'rank'];
/** Exports that are ES modules of their own and need nothing of Node: they run in browsers and on the edge without a bundler. */
const PORTABLE = ['client', 'tools'];
/**
 * A file imports, for their order alone, all files that those it needs import in their turn. Nothing of ours happens on import, so each
 * loads its own.
 */
const BARE_IMPORT = /\bimport"\.[^"]+\.cjs";/g;
const OWN_IMPORT = /\bimport\{([^}"]*)\}from("\.[^"]+\.cjs");/g;
const OWN_EXPORTS = /\bexport\{(?<exports>[^}"]*)\};?\s*$/;
/** Parts of Node for code that others may bundle. A name is looked up once. */
const BUILTINS = `module.exports = (id) =>
  Object.create(new Proxy({}, {
    get(_, name, self) {
      const value = process.getBuiltinModule(id)[name];
      Object.defineProperty(self, name, { value, writable: true, configurable: true });
      return value;
    },
  }));`;
const WORKERS = ['worker', 'store-worker', 'library-worker', 'pdf-reader-worker'];

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Native or optional parts are loaded on demand from node_modules.
  external: ['libsql', 'pg-native', 'playwright-core', 'tsx', 'unpdf'],
  minify: true,
  charset: 'utf8',
  // The licences of what is bundled are in THIRD-PARTY-NOTICES.txt.
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

rmSync(dist, { recursive: true, force: true });
// Beside the bundles, which leave a core free. Its tools take a while to load, and `npm start` does not need them.
const declarations = packaging ? writeDeclarations() : undefined;
const bin = await bundleBin();
const modules = await bundleModules(bin.lazy);
await writeBin(bin.code, modules.hash);
const portable = await bundlePortable();
const vendored = await copyConsole();
if (packaging) {
  writeNotices(root, [
    ...Object.keys(bin.inputs),
    ...Object.keys(modules.inputs),
    ...Object.keys(portable.inputs),
    ...vendored.map((file) => `node_modules/${file}`),
  ]);
  await declarations;
  writePackage();
}

/**
 * The bin is one small CommonJS file: Node starts it without its module loader, which is half of the start-up of `mcp`.
 * What it imports on demand is left out and lives in the ES modules beside it.
 */
async function bundleBin() {
  const lazy = new Set();
  const lazyParts = {
    name: 'lazy-parts',
    setup(context) {
      context.onResolve({ filter: /^\./ }, (args) => {
        if (args.kind !== 'dynamic-import') return undefined;
        const name = relative(source, join(args.resolveDir, args.path)).replace(/\.ts$/, '');
        // The MCP front is what must start fast, so it is in the bin.
        if (name === 'cli/mcp') return undefined;
        lazy.add(name);
        return { path: `./${name}.cjs`, external: true };
      });
    },
  };
  const { metafile, outputFiles } = await build({
    ...shared,
    entryPoints: ['src/main.ts'],
    outfile: 'dist/main.cjs',
    format: 'cjs',
    plugins: [lazyParts],
    write: false,
  });
  return { lazy: [...lazy], inputs: metafile.inputs, code: outputFiles[0].text };
}

/** What the bin loads on demand goes through its own loader, which knows the files by the hash of their content. */
async function writeBin(code, hash) {
  const loader = await transform(readFileSync(join(root, 'scripts/build/loader.cjs'), 'utf8'), {
    define: { BUILD: JSON.stringify(hash) },
    target: shared.target,
    minify: true,
    legalComments: 'none',
  });
  const [shebang, ...rest] = code.split('\n');
  write(
    join(dist, 'main.cjs'),
    [shebang, loader.code + onDemand(withSharedShapes(rest.join('\n')), 'load')].join('\n'),
  );
  chmodSync(join(dist, 'main.cjs'), 0o755);
}

/**
 * Everything else: one bundle, split into files that are loaded when they are needed. esbuild splits only ES modules, but Node
 * loads CommonJS three times as fast, so each file is turned into that; what programs import is an ES module again.
 */
async function bundleModules(lazy) {
  const { metafile, outputFiles } = await build({
    ...shared,
    entryPoints: [...EXPORTED, ...WORKERS, ...lazy].map((name) => `src/${name}.ts`),
    outdir: 'dist',
    outbase: 'src',
    outExtension: { '.js': '.cjs' },
    splitting: true,
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [smaller(dist, packaging ? 11 : 4)],
    write: false,
  });
  refuseLateExports(metafile);
  const helpers = (await transform(BUILTINS, { target: shared.target, minify: true })).code;
  const bundled = reachedFrom(metafile.outputs, ['dist/extract.cjs', 'dist/rank.cjs']);
  write(join(dist, 'builtins.cjs'), helpers);
  const hash = createHash('sha256').update(helpers);
  for (const { path, text } of outputFiles) {
    const code = await toCommonJs(text);
    const url = code.includes('__url')
      ? // A bundle that others make of it as an ES module has no name of a file.
        'const __url=typeof __filename=="string"?require("node:url").pathToFileURL(__filename).href:"file:///";'
      : '';
    const builtins = relative(dirname(path), join(dist, 'builtins.cjs'));
    const made = bundled.has(relative(root, path)) ? onNode(url + code, builtins) : url + code;
    hash.update(made);
    write(path, made);
  }
  for (const name of EXPORTED) {
    const names = metafile.outputs[`dist/${name}.cjs`].exports;
    // Node finds the names of a CommonJS module by reading it, and the assignment below is what it looks for.
    appendFileSync(join(dist, `${name}.cjs`), `0&&(module.exports={${names.join(',')}});`);
    write(join(dist, `${name}.js`), `export { ${names.join(', ')} } from './${name}.cjs';\n`);
  }
  return { inputs: metafile.inputs, hash: hash.digest('hex').slice(0, 16) };
}

async function bundlePortable() {
  const { metafile } = await build({
    ...shared,
    entryPoints: PORTABLE.map((name) => `src/${name}.ts`),
    outdir: 'dist',
    platform: 'neutral',
    target: 'es2022',
    format: 'esm',
  });
  return metafile;
}

/**
 * Turns a file of the bundle into CommonJS. What it takes from another file is a constant of its own and not a property that is looked up at
 * each use: files do not import each other in a circle, and nothing that they export changes after they have run. esbuild, which has to
 * expect both, would write getters.
 */
async function toCommonJs(text) {
  const { exports = '' } = OWN_EXPORTS.exec(text)?.groups ?? {};
  const code = onDemand(text, 'require')
    .replaceAll(BARE_IMPORT, '')
    .replaceAll(OWN_IMPORT, (_, names, file) => `const{${names.replaceAll(' as ', ':')}}=require(${file});`)
    .replace(OWN_EXPORTS, () => `module.exports={${exports.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2:$1')}};`);
  const made = await transform(code, {
    format: 'cjs',
    platform: 'node',
    target: shared.target,
    charset: charsetOf(code),
    define: { 'import.meta.url': '__url' },
    minify: true,
    treeShaking: true,
    legalComments: 'none',
  });
  return withSharedShapes(made.code);
}

/** What `toCommonJs` relies on: no file imports itself by way of others, and no export is a variable that is set later. */
function refuseLateExports({ inputs, outputs }) {
  const isStatic = ({ kind }) => kind === 'import-statement';
  for (const file of Object.keys(outputs)) {
    const imported = outputs[file].imports.filter(isStatic).map(({ path }) => path);
    if (reachedFrom(outputs, imported, isStatic).has(file))
      throw new Error(`${file} is imported by a file that it imports.`);
  }
  for (const file of Object.keys(inputs).filter((name) => existsSync(join(root, name))))
    if (/^export let /m.test(readFileSync(join(root, file), 'utf8')))
      throw new Error(`${file} exports a variable; export a function that returns it.`);
}

/** One character beyond Latin-1 makes V8 keep a source with two bytes for every character; where they are few, they are escaped. */
function charsetOf(code) {
  const wide = code.match(/[^\0-\xff]/g) ?? [];
  return wide.length * 200 < code.length ? 'ascii' : 'utf8';
}

/** Our own files are required, also on demand; `import()` is left for what others bring, which may be ES modules. */
function onDemand(code, require) {
  return code.replace(/\bimport\(("\.[^"]+\.cjs")\)/g, `Promise.resolve().then(()=>${require}($1))`);
}

/** A bundle that others make as an ES module has no `require`, and one for browsers no Node: its parts are taken from the process when they are used. */
function onNode(code, builtins) {
  return code.replace(/\brequire\(("node:[^"]+")\)/g, `require("./${builtins}")($1)`);
}

/** The files that some files import, themselves included. */
function reachedFrom(outputs, files, isWanted = () => true) {
  const reached = new Set(files);
  for (const file of reached)
    for (const one of (outputs[file]?.imports ?? []).filter(isWanted)) reached.add(one.path);
  return reached;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function writeDeclarations() {
  const made = await import('./build/declarations.mjs');
  await made.writeDeclarations(
    root,
    [...EXPORTED, ...PORTABLE].filter((name) => name !== 'extract-web'),
  );
}

/**
 * The folder that is published. Its manifest is that of the repository without what is bundled and what only the repository needs, so
 * that nothing is installed twice.
 */
function writePackage() {
  const folder = join(root, 'package');
  rmSync(folder, { recursive: true, force: true });
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  for (const name of ['README.md', 'LICENSE']) cpSync(join(root, name), join(folder, name));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['private', 'scripts', 'dependencies', 'devDependencies', 'overrides'])
    delete manifest[name];
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** The console is served file by file as it is written, only smaller and compressed. Returns the files of the libraries that it uses. */
async function copyConsole() {
  const folder = join(dist, 'console');
  cpSync(join(source, 'gateway/console/static'), folder, { recursive: true });
  for (const name of readdirSync(folder, { recursive: true }).filter((file) => /\.(js|css)$/.test(file))) {
    const file = join(folder, name);
    const options = { loader: name.endsWith('.css') ? 'css' : 'js', charset: 'utf8', minify: true };
    writeFileSync(file, (await transform(readFileSync(file, 'utf8'), options)).code);
  }
  mkdirSync(join(folder, 'vendor'));
  const vendored = JSON.parse(readFileSync(join(source, 'gateway/console/vendor.json'), 'utf8'));
  for (const { name, file } of vendored) {
    const code = readFileSync(join(root, 'node_modules', file), 'utf8').replaceAll(
      'from"preact"',
      'from"./preact.js"',
    );
    const loader = name.endsWith('.css') ? 'css' : 'js';
    const made = await transform(code, { loader, minify: true, legalComments: 'none' });
    writeFileSync(join(folder, 'vendor', name), made.code);
  }
  // Compressed as one: the files have much in common, which compressing them one by one does not see.
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(folder, file).replaceAll('\\', '/'), readFileSync(file, 'utf8')]);
  rmSync(folder, { recursive: true });
  // Names and texts in turn, the longest first, which compresses best.
  const parts = files.toSorted(([, a], [, b]) => b.length - a.length).flat();
  if (parts.some((part) => part.includes('\0'))) throw new Error('A file of the console has a zero in it.');
  writeFileSync(`${folder}.br`, brotliCompressSync(parts.join('\0')));
  return vendored.map(({ file }) => file);
}
