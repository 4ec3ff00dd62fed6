import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { clientFolder, clientNames, nodeOf, programOf } from './client-folders.ts';

// What docs/guides/sdk.md says of runtimes and bundlers, run: each import of the package in each of them. `UPDATE=1` writes the table.

const root = resolve(import.meta.dirname, '../..');
const page = join(root, 'docs/guides/sdk.md');
const HTML =
  '<title>Gates</title><main><h1>Gates</h1><p>A gate lets water into a canal in the morning.</p></main>';

/** A program for each import; it prints its last value. */
const PROGRAMS: Record<string, string> = {
  client: `import { createClient } from 'headgate/client';
    const fetch = async () => Response.json({ detail: { error: 'No.', code: 'forbidden' } }, { status: 403 });
    const thrown = await createClient({ baseUrl: 'https://gate.example', fetch }).search({ query: 'mills' }).catch((error) => error);
    export default thrown.code;`,
  tools: `import { langChainTools } from 'headgate/tools';
    const tool = { name: 'tide', inputSchema: {}, execute: async () => ({ content: [{ type: 'text', text: 'high' }] }) };
    const [run] = await langChainTools({ agentTools: async () => [tool] }, (made) => made);
    export default await run({});`,
  extract: `import { extractHtml } from 'headgate/extract';
    export default extractHtml(${JSON.stringify(HTML)}, { url: 'https://gate.example/' }).title;`,
  rank: `import { countTokens, rankChunks } from 'headgate/rank';
    const ranked = rankChunks('water', [{ id: 'a', content: 'Mills.' }, { id: 'b', content: 'Water opens gates.' }]);
    export default ranked.length > 0 && (await countTokens('Water opens gates.')) > 2;`,
  headgate: `import { createHeadgate } from 'headgate';
    const web = createHeadgate({ env: { HEADGATE_HOME: 'home' } });
    const { outcome } = await web.search({ query: 'mills', provider: 'local' });
    await web.close();
    export default outcome;`,
};
const EXPECTED: Record<string, unknown> = {
  client: 'forbidden',
  tools: 'high',
  extract: 'Gates',
  rank: true,
  headgate: 'empty',
};
const IMPORTS = Object.keys(PROGRAMS);
/** They start threads and load native parts, so bundlers leave them outside. */
const isExternal = (name: string): boolean => name === 'headgate';

/** A folder with the package, as npm installs it with its reader of PDFs, and a module for each program. */
function newProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-runtime-'));
  cpSync(join(root, 'package'), join(folder, 'node_modules/headgate'), { recursive: true });
  cpSync(join(root, 'node_modules/unpdf'), join(folder, 'node_modules/unpdf'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  for (const [name, code] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, `${name}.mjs`), code);
    writeFileSync(
      join(folder, `print-${name}.mjs`),
      `import value from './${name}.mjs';\nconsole.log('VALUE ' + JSON.stringify(value));\n`,
    );
  }
  return folder;
}

const runWith = (program: string, args: string[], cwd: string): unknown => {
  const said = execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: 120_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return JSON.parse(/VALUE (.*)/.exec(said)?.[1] ?? 'null') as unknown;
};

/** Runs a bundle where nothing else is. */
function runAlone(file: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-alone-'));
  cpSync(file, join(folder, 'main.mjs'));
  return runWith(process.execPath, ['main.mjs'], folder);
}

interface Target {
  /** The client that must be installed; none for what the repository has. */
  client?: string;
  imports: string[];
  /** The program that it brings, which a registry may lack for a platform. */
  program?: string;
  /** It could not be installed where the table was written. */
  isUntested?: boolean;
  run(name: string, folder: string): unknown;
}

const bundled = IMPORTS.filter((name) => !isExternal(name));

const deno = programOf('deno', `@deno/linux-${process.arch}-glibc/deno`);

const TARGETS: Record<string, Target> = {
  'Node 20': {
    imports: IMPORTS,
    run: (name, folder) => runWith(process.execPath, [`print-${name}.mjs`], folder),
  },
  'Node 22': {
    client: 'node-22',
    imports: IMPORTS,
    run: (name, folder) => runWith(nodeOf(22), [`print-${name}.mjs`], folder),
  },
  'Node 24': {
    client: 'node-24',
    imports: IMPORTS,
    run: (name, folder) => runWith(nodeOf(24), [`print-${name}.mjs`], folder),
  },
  'Deno 2': {
    client: 'deno',
    imports: IMPORTS,
    program: deno,
    isUntested: true,
    run: (name, folder) =>
      runWith(
        deno,
        ['run', '--allow-all', '--no-remote', '--node-modules-dir=manual', `print-${name}.mjs`],
        folder,
      ),
  },
  'Bun 1': {
    client: 'bun',
    imports: IMPORTS,
    run: (name, folder) =>
      runWith(
        programOf('bun', `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}/bin/bun`),
        [`print-${name}.mjs`],
        folder,
      ),
  },
  'esbuild, for Node': {
    imports: bundled,
    run: async (name, folder) => {
      await build({ ...entry(name, folder), platform: 'node' });
      return runAlone(join(folder, 'out.mjs'));
    },
  },
  'esbuild, for Workers (workerd)': {
    client: 'workerd',
    imports: bundled,
    run: async (name, folder) => {
      // Workers may not use timers and the network before they are asked.
      const code = `export default { async test() {
        const { default: value } = await import('./${name}.mjs');
        if (JSON.stringify(value) !== ${JSON.stringify(JSON.stringify(EXPECTED[name]))}) throw new Error(String(value));
      } };`;
      writeFileSync(join(folder, 'worker-entry.mjs'), code);
      await build({
        ...entry(name, folder),
        entryPoints: [join(folder, 'worker-entry.mjs')],
        conditions: ['workerd', 'worker', 'browser'],
        platform: 'browser',
      });
      writeFileSync(join(folder, 'worker.capnp'), CAPNP);
      const workerd = programOf(
        'workerd',
        `@cloudflare/workerd-linux-${process.arch === 'arm64' ? 'arm64' : '64'}/bin/workerd`,
      );
      execFileSync(workerd, ['test', 'worker.capnp'], { cwd: folder, timeout: 60_000, stdio: 'pipe' });
      return EXPECTED[name];
    },
  },
  'Vite 7': {
    imports: bundled,
    run: async (name, folder) => {
      const vite = await import('vite');
      await vite.build({
        root: folder,
        logLevel: 'silent',
        ssr: { noExternal: true },
        build: {
          ssr: join(folder, `print-${name}.mjs`),
          outDir: join(folder, 'vite'),
          rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: 'out.mjs' } },
        },
      });
      return runAlone(join(folder, 'vite/out.mjs'));
    },
  },
  'Rspack 2': {
    client: 'rspack',
    imports: bundled,
    run: (name, folder) => {
      const settings = {
        mode: 'production',
        target: 'node20',
        context: folder,
        entry: `./print-${name}.mjs`,
        experiments: { outputModule: true },
        output: {
          path: join(folder, 'rspack'),
          filename: 'out.mjs',
          module: true,
          chunkFormat: 'module',
          asyncChunks: false,
        },
      };
      const code = `import { rspack } from ${JSON.stringify(pathToFileURL(programOf('rspack', '@rspack/core/dist/index.js')).href)};
        rspack(${JSON.stringify(settings)}, (error, stats) => {
          if (error || stats.hasErrors()) { console.error(error ?? stats.toString('errors-only')); process.exit(1); }
          console.log('VALUE true'); process.exit(0);
        });`;
      writeFileSync(join(folder, 'rspack.mjs'), code);
      runWith(nodeOf(22), ['rspack.mjs'], folder);
      return runAlone(join(folder, 'rspack/out.mjs'));
    },
  },
  'Next 16': {
    client: 'next',
    imports: bundled,
    run: (name, folder) => {
      nextPages ??= buildNext(folder);
      return readNext(nextPages, name);
    },
  },
};

let nextPages: string | undefined;
/** One build of an application with a page for each program; what a page shows is made while it is built. */
function buildNext(folder: string): string {
  const app = clientFolder('next') ?? '';
  for (const name of ['app', '.next']) rmSync(join(app, name), { recursive: true, force: true });
  cpSync(join(folder, 'node_modules'), join(app, 'node_modules'), { recursive: true, force: true });
  for (const name of bundled) {
    mkdirSync(join(app, 'app', name), { recursive: true });
    cpSync(join(folder, `${name}.mjs`), join(app, 'app', name, 'value.mjs'));
    const show = `import value from './value.mjs';\nexport default () => 'VALUE ' + JSON.stringify(value) + ' END';\n`;
    writeFileSync(join(app, 'app', name, 'page.js'), show);
  }
  const layout = `import { createElement } from 'react';
    export default ({ children }) => createElement('html', null, createElement('body', null, children));`;
  writeFileSync(join(app, 'app/layout.js'), layout);
  execFileSync(process.execPath, [programOf('next', 'next/dist/bin/next'), 'build'], {
    cwd: app,
    timeout: 280_000,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: 'pipe',
  });
  return join(app, '.next/server/app');
}

function readNext(pages: string, name: string): unknown {
  const html = readFileSync(join(pages, `${name}.html`), 'utf8');
  return JSON.parse((/VALUE (.*?) END/.exec(html)?.[1] ?? 'null').replaceAll('&quot;', '"')) as unknown;
}

const entry = (name: string, folder: string) => ({
  entryPoints: [join(folder, `print-${name}.mjs`)],
  outfile: join(folder, 'out.mjs'),
  bundle: true,
  format: 'esm' as const,
  logLevel: 'error' as const,
});

const CAPNP = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "out.mjs", esModule = embed "out.mjs")], compatibilityDate = "2026-01-01"))]);
`;

const cell = ({ imports, isUntested }: Target, name: string): string =>
  isUntested === true ? 'untested' : imports.includes(name) ? 'runs' : 'external';
const table = [
  `| | ${IMPORTS.map((name) => (isExternal(name) ? '`headgate`' : `\`headgate/${name}\``)).join(' | ')} |`,
  `|---|${IMPORTS.map(() => '---').join('|')}|`,
  ...Object.entries(TARGETS).map(
    ([target, how]) => `| ${target} | ${IMPORTS.map((name) => cell(how, name)).join(' | ')} |`,
  ),
].join('\n');

test('the guide has the table', () => {
  const text = readFileSync(page, 'utf8');
  const marked = /(<!-- runtimes -->\n)[\s\S]*?(<!-- end -->)/;
  if (process.env['UPDATE'] === '1') writeFileSync(page, text.replace(marked, `$1\n${table}\n\n$2`));
  expect(readFileSync(page, 'utf8').replace(/ +/g, ' ')).toContain(table);
});

const ready = Object.entries(TARGETS).filter(
  ([, { client, program }]) =>
    clientNames.length > 0 &&
    (client === undefined || clientFolder(client) !== undefined) &&
    (program === undefined || existsSync(program)),
);
const left = Object.keys(TARGETS).filter(
  (name) => clientNames.length > 0 && !ready.some(([one]) => one === name),
);
afterAll(() => {
  if (left.length > 0) process.stderr.write(`SKIPPED, not installed: ${left.join(', ')}\n`);
});

describe.each(ready)('%s', (_name, { imports, run }) => {
  test.each(imports)(
    'runs %s',
    async (name) => expect(await run(name, newProject())).toEqual(EXPECTED[name]),
    300_000,
  );
});
