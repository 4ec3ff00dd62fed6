import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../src/core/version.ts';

/** The package as a user gets it: packed, unpacked into an empty folder, without anything else installed. */
const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'headgate-package-'));
const installed = join(folder, 'node_modules', 'headgate');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  exports: Record<string, string>;
  bin: Record<string, string>;
  dependencies?: Record<string, string>;
  scripts: Record<string, string>;
};
let files: { path: string; size: number }[] = [];

beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pack] = Object.values(
    JSON.parse(packed) as Record<string, { filename: string; files: { path: string; size: number }[] }>,
  );
  files = pack?.files ?? [];
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, pack?.filename ?? ''), '-C', installed, '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (code: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

describe('the package', () => {
  test('is one version everywhere, needs nothing installed, and runs no install script', () => {
    expect(manifest.version).toBe(VERSION);
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(
      Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name)),
    ).toEqual([]);
  });

  test('holds the licence, the README and what is built, and nothing else', () => {
    const strange = files.filter(({ path }) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(path));
    expect(strange).toEqual([]);
    expect(files.length).toBeGreaterThan(20);
  });

  test('every export can be imported', () => {
    for (const name of Object.keys(manifest.exports).filter((path) => path !== './package.json')) {
      const specifier = name === '.' ? 'headgate' : `headgate/${name.slice(2)}`;
      const exported = run(`console.log(Object.keys(await import('${specifier}')).length)`);
      expect(`${specifier}: ${Number(exported) > 0}`).toBe(`${specifier}: true`);
    }
  });

  test('README: the SDK and the extractor work from it', () => {
    const code = `
      import { createHeadgate } from 'headgate';
      import { extractHtml } from 'headgate/extract';
      const web = createHeadgate();
      await web.close();
      console.log(extractHtml('<article><h1>T</h1><p>Hello there, this is the text of a page.</p></article>').markdown.includes('Hello'));`;
    expect(run(code)).toBe('true');
  });

  test('the built bin tells a mistake in the configuration in its own words', () => {
    const bin = join(installed, manifest.bin['headgate'] ?? '');
    const env = { ...process.env, HEADGATE_SERVER__PROT: '1' };
    const result = spawnSync(process.execPath, [bin, 'doctor', '--offline'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain(
      'HEADGATE_SERVER__PROT: server.prot = "1": unknown key; did you mean server.port?',
    );
    expect(result.stderr).not.toContain('Something went wrong');
  });

  test('the bin says its version and answers an MCP client', async () => {
    const bin = join(installed, manifest.bin['headgate'] ?? '');
    expect(statSync(bin).mode & 0o111).not.toBe(0);
    expect(execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' }).trim()).toBe(VERSION);
    const server = spawn(process.execPath, [bin, 'mcp'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    for (const message of [
      { id: 1, method: 'initialize', params },
      { id: 2, method: 'tools/list' },
    ]) {
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    }
    const answers: { id: number; result: { tools?: { name: string }[] } }[] = [];
    for await (const line of createInterface({ input: server.stdout })) {
      answers.push(JSON.parse(line) as (typeof answers)[number]);
      if (answers.length === 2) server.stdin.end();
    }
    expect(answers[1]?.result.tools?.map((tool) => tool.name)).toContain('web_search');
  });
});
