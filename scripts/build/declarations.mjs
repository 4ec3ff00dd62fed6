// The types of every export as declaration files that stand alone: whoever installs the package has none of the packages
// that it is built with. The compiler writes one file per module; they are then bundled and what nobody exports is dropped.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const run = promisify(execFile);

/** What the public types need of the MCP SDK, as shapes. */
const MCP = join(import.meta.dirname, 'mcp-sdk.d.ts');

/** The bundler names each module by its place on this machine, and the folder is another in every build. */
const withoutPaths = {
  name: 'without-paths',
  renderChunk: (code) => code.replace(/^\/\/ .*\.d\.ts\n/gm, ''),
};

export async function writeDeclarations(root, names) {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-types-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [
      compiler,
      '-p',
      join(import.meta.dirname, 'tsconfig.json'),
      // `npm run types` checks them; here that would take as long as the rest of the build.
      '--noCheck',
      '--outDir',
      folder,
    ]);
    writeFileSync(join(folder, 'contract/types.d.ts'), await contractTypes(root, folder));
    const bundle = await rolldown({
      input: Object.fromEntries(names.map((name) => [name, join(folder, `${name}.d.ts`)])),
      external: /^node:/,
      resolve: { alias: { '@modelcontextprotocol/server': MCP } },
      plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false }), withoutPaths],
      // The bundler takes types for missing values.
      onLog: (level, log, write) => {
        if (log.code !== 'IMPORT_IS_UNDEFINED') write(level, log);
      },
    });
    const { output } = await bundle.write({
      dir: join(root, 'dist'),
      format: 'es',
      chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}-[hash].d.ts`,
    });
    const strange = output.flatMap((file) =>
      [...file.code.matchAll(/from ["'](?!\.|node:)([^"']+)["']/g)].map((match) => match[1]),
    );
    if (strange.length > 0) throw new Error(`The public types need ${[...new Set(strange)].join(', ')}.`);
  } catch (thrown) {
    // The compiler says on its standard output what is wrong.
    if (thrown?.stdout) process.stderr.write(thrown.stdout);
    throw thrown;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The requests and answers, which the compiler writes as types of zod. */
async function contractTypes(root, folder) {
  const outfile = join(folder, 'contract-types.mjs');
  await build({
    entryPoints: [join(root, 'scripts/reference/contract-types.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'warning',
  });
  const printer = await import(pathToFileURL(outfile));
  return printer.contractTypes();
}
