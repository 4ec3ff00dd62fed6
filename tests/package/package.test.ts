import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { countTokens as countAsLibrary } from 'gpt-tokenizer/encoding/o200k_base';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { listTools } from '../support/mcp-client.ts';
import { packHeadgate, root, type Packed } from '../support/packed.ts';
import { sized } from '../support/sized.ts';

/** The package as a user gets it: packed, unpacked into an empty folder, without anything else installed. */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  exports: Record<string, string | { types: string; default: string }>;
  bin: Record<string, string>;
  private: boolean;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: object;
  scripts: Record<string, string>;
};
const specifiers = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => `headgate${path.slice(1)}`);
/** A small package is one reason to choose it: `npx` downloads it whole. */
const UNPACKED_BYTES_MAX = 3_500_000;
const run = promisify(execFile);
let packed: Packed;

beforeAll(() => {
  packed = packHeadgate();
}, 180_000);
afterAll(() => packed.remove());

const evaluate = (code: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: packed.folder,
    encoding: 'utf8',
  }).trim();

describe('the package', () => {
  test('is one version everywhere, needs nothing installed, and runs no install script', () => {
    const published = JSON.parse(readFileSync(join(packed.installed, 'package.json'), 'utf8')) as object;
    const { private: _private, scripts, dependencies, devDependencies, overrides, ...rest } = manifest;
    expect(published).toEqual(rest);
    expect(manifest.version).toBe(VERSION);
    expect([scripts, devDependencies, overrides]).not.toContain(undefined);
    expect(Object.keys(dependencies).length).toBeGreaterThan(5);
  });

  test('holds the licence, the README and what is built, and nothing else', () => {
    const strange = packed.files.filter(
      ({ path }) => !/^(dist\/[^.]|LICENSE$|README\.md$|package\.json$)/.test(path),
    );
    expect(strange).toEqual([]);
    expect(packed.files.length).toBeGreaterThan(20);
  });

  test('says nothing about the machine that built it', () => {
    const texts = packed.files.filter(({ path }) => /\.(c?js|d\.ts|json)$/.test(path));
    const telling = texts.filter(({ path }) => {
      const text = readFileSync(join(packed.installed, path), 'utf8');
      return text.includes(root) || /headgate-types-|^\/\/ (\.\.\/|\/)/m.test(text);
    });
    expect(texts.length).toBeGreaterThan(20);
    expect(telling).toEqual([]);
  });

  test('is at most 3.5 MB unpacked', () => {
    const largest = packed.files.toSorted((a, b) => b.size - a.size).slice(0, 8);
    expect(
      packed.unpackedBytes,
      `The largest: ${largest.map(({ path, size }) => `${path} ${size}`).join(', ')}`,
    ).toBeLessThanOrEqual(UNPACKED_BYTES_MAX);
  });

  test('what lies compressed in it is found: tokens are counted as by the library, also of lines and half characters', () => {
    const texts = [' the The\n\n\n', '\r\n\t\t  x', '🦑🏽‍🔬', '水門を開ける', 'ประตูน้ำ', 'हिन्दी', '\u0000\uE000\uE100', '# a\n- b\n'];
    const counted = evaluate(
      `import { countTokens } from 'headgate/rank';
       console.log(JSON.stringify(await Promise.all(${JSON.stringify(texts)}.map(countTokens))));`,
    );
    expect(JSON.parse(counted)).toEqual(texts.map((text) => countAsLibrary(text)));
  });

  test('publint has nothing to say about it', async () => {
    const { messages, pkg } = await publint({ pkgDir: packed.installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('its types are right for everybody who can import it, says attw', async () => {
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'json'];
    const all = Object.keys(manifest.exports);
    const count = sized('exports whose types attw looks at', { small: 1, large: all.length, full: all.length });
    const some = count < all.length ? ['--entrypoints', ...all.slice(0, count)] : [];
    const { stdout } = await run(process.execPath, [attw, packed.tarball, ...options, ...some]);
    const { analysis } = JSON.parse(stdout) as { analysis: { entrypoints: Record<string, object> } };
    expect(Object.keys(analysis.entrypoints).length).toBe(count);
  });

  test('names everybody whose code is in it, with licence', () => {
    const bill = JSON.parse(readFileSync(join(packed.installed, 'dist/sbom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string; scope?: string; licenses: object[] }[];
    };
    const names = bill.components.map(({ name }) => name);
    // The manifest of the repository says the same: what is bundled is a dependency, and nothing else is.
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(Object.keys(manifest.devDependencies).filter((name) => names.includes(name))).toEqual([]);
    expect(bill.components.filter(({ scope }) => scope === 'optional').map(({ name }) => name)).toEqual(
      Object.keys(manifest.optionalDependencies),
    );
    const notices = readFileSync(join(packed.installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    const bundled = bill.components.filter(({ scope }) => scope === undefined);
    expect(bundled.filter(({ name, version }) => !notices.includes(`${name} ${version} (`))).toEqual([]);
  });

  test('every export can be imported', () => {
    const code = `for (const name of ${JSON.stringify(specifiers)})
      if (Object.keys(await import(name)).length > 0) console.log(name);`;
    expect(evaluate(code).split('\n')).toEqual(specifiers);
  });

  test('a small program in TypeScript compiles against every export, with its mistakes found', async () => {
    cpSync(join(root, 'tests/types'), join(packed.folder, 'program'), { recursive: true });
    mkdirSync(join(packed.folder, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types']) {
      cpSync(join(root, 'node_modules', name), join(packed.folder, 'node_modules', name), {
        recursive: true,
      });
    }
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const count = sized('ways in which a program finds the types', { small: 1, large: 2, full: 2 });
    for (const resolution of ['nodenext', 'bundler'].slice(0, count)) {
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const options = ['--module', module, '--moduleResolution', resolution];
      const result = await run(process.execPath, [compiler, '-p', 'program', ...options], {
        cwd: packed.folder,
      }).catch((thrown: { stdout: string }) => thrown);
      expect(result.stdout).toBe('');
    }
  });

  test('README: the SDK and the extractor work from it', () => {
    const code = `
      import { createHeadgate } from 'headgate';
      import { extractHtml } from 'headgate/extract';
      const web = createHeadgate();
      await web.close();
      console.log(extractHtml('<article><h1>T</h1><p>Hello there, this is the text of a page.</p></article>').markdown.includes('Hello'));`;
    expect(evaluate(code)).toBe('true');
  });

  test('a PDF without its optional reader fails in words that say what to install', () => {
    const code = `
      import { extractPage } from 'headgate/extract';
      const page = { bytes: new TextEncoder().encode('%PDF-1.7'), contentType: 'application/pdf', url: 'https://a.example/x.pdf' };
      await extractPage(page).catch((thrown) => console.log(thrown.name, thrown.message, thrown.remediation));`;
    expect(evaluate(code)).toBe(
      'HeadgateError Reading a PDF needs the `unpdf` package, which is not installed. Install it beside Headgate: npm install unpdf.',
    );
  });

  test('the built bin tells a mistake in the configuration in its own words', () => {
    const bin = join(packed.installed, manifest.bin['headgate'] ?? '');
    const env = { ...process.env, HEADGATE_SERVER__PROT: '1' };
    const result = spawnSync(process.execPath, [bin, 'doctor', '--offline'], {
      cwd: packed.folder,
      env,
      encoding: 'utf8',
    });
    expect(result.status).toBe(1);
    // The doctor reports it as a finding; it does not die of it.
    expect(result.stdout).toContain(
      'HEADGATE_SERVER__PROT: server.prot = "1": unknown key; did you mean server.port?',
    );
    expect(result.stdout + result.stderr).not.toContain('Something went wrong');
  });

  test('the bin says its version and answers an MCP client', async () => {
    const bin = join(packed.installed, manifest.bin['headgate'] ?? '');
    expect(statSync(bin).mode & 0o111).not.toBe(0);
    expect(execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' }).trim()).toBe(VERSION);
    expect(await listTools(process.execPath, [bin, 'mcp'], packed.folder)).toContain('web_search');
  });

  test('`npx -y <tarball> mcp` works in an empty folder without any network', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'headgate-empty-'));
    try {
      // An empty cache and a registry that is nowhere: only the tarball is left.
      writeFileSync(
        join(empty, '.npmrc'),
        'registry=http://127.0.0.1:9/\nfetch-retries=0\nupdate-notifier=false\n',
      );
      const env = { npm_config_cache: join(empty, 'cache') };
      const tarball = relative(empty, packed.tarball);
      expect(await listTools('npx', ['-y', tarball, 'mcp'], empty, env)).toContain('web_search');
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  }, 120_000);
});
