import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sized } from '../support/sized.ts';

/** A provider that nobody has, added as docs/guides/add-a-provider.md says: one file and one line. */
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'headgate-made-up-'));
const home = join(folder, 'home');
let upstream: ChildProcess;
let address = '';

/** The provider of the guide, as it is printed there. */
const ACME =
  /```ts\n(.*?)```/s.exec(readFileSync(join(root, 'docs/guides/add-a-provider.md'), 'utf8'))?.[1] ?? '';

beforeAll(async () => {
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'src/providers/acme.ts'), ACME);
  const list = join(folder, 'src/providers/index.ts');
  const text = readFileSync(list, 'utf8');
  writeFileSync(
    list,
    `import { acme } from './acme.ts';\n${text.replace('  tavily,', '  acme,\n  tavily,')}`,
  );
  writeFileSync(
    join(folder, 'scripts/reference/printed.ts'),
    `import { clientFiles } from './clients.ts';
import { referencePages } from './pages.ts';
console.log(JSON.stringify({ ...referencePages(), ...clientFiles() }));`,
  );
  buildSync({
    entryPoints: ['src/main.ts', 'scripts/reference/printed.ts'].map((name) => join(folder, name)),
    outdir: folder,
    outbase: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
  });
  upstream = spawn(process.execPath, [join(folder, 'src/main.mjs'), 'sim', '--port', '0'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HEADGATE_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await new Promise<string>((done, fail) => {
    let printed = '';
    upstream.once('exit', () => fail(new Error(`The simulator ended: ${printed}`)));
    upstream.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /https?:\S+\/acme\b/.exec(printed)?.[0];
      if (found !== undefined) done(found);
    });
  });
}, 60_000);
afterAll(() => {
  upstream.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function headgateWith(key: string, ...argv: string[]): Promise<{ out: string; err: string }> {
  const env = {
    PATH: process.env['PATH'],
    HEADGATE_HOME: home,
    ACME_API_KEY: key,
    HEADGATE_PROVIDERS__ACME__BASE_URL: address,
    HEADGATE_SEARCH__RETRIES: '0',
  };
  const args = [join(folder, 'src/main.mjs'), ...argv];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env, timeout: 50_000 });
  return { out: stdout, err: stderr };
}

const headgate = (...argv: string[]) => headgateWith('acme-0123456789', ...argv);

const REFUSED: [key: string, words: string][] = [
  ['acme-0123456789-quota', 'has nothing left on this key'],
  ['acme-0123456789-bad', 'did not accept the key'],
  ['acme-0123456789-429', 'asks for fewer requests'],
];
const refused = sized('refusals of a made-up provider', { small: 1, large: 3, full: 3 });

describe('a made-up provider', () => {
  test('is asked first, over its own simulated upstream, page by page', async () => {
    const { out } = await headgate('search', 'tide mill', '--json', '--max-results', '25');
    const { results, attempts } = JSON.parse(out) as { results: { title: string }[]; attempts: object[] };
    expect(attempts).toMatchObject([{ provider: 'acme', outcome: 'ok' }]);
    expect(results).toHaveLength(25);
    expect(results[0]?.title).toContain('tide mill');
  }, 60_000);

  test.each(REFUSED.slice(0, refused))(
    'with the key %s %s',
    async (key, words) => {
      const run = headgateWith(key, 'search', 'tide mill', '--provider', 'acme');
      await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining(`Acme ${words}`) as string });
    },
    60_000,
  );

  test('says empty where its upstream reports an error for it', async () => {
    const { out } = await headgate('search', 'noresult', '--json', '--provider', 'acme').catch(
      (thrown: { stdout: string }) => ({ out: thrown.stdout }),
    );
    expect(JSON.parse(out)).toMatchObject({ outcome: 'empty', results: [] });
  }, 60_000);

  test('is priced by its card: in a dry run, and in the configuration', async () => {
    const { out } = await headgate('search', 'tide mill', '--dry-run', '--provider', 'acme');
    expect(out).toContain('"acme"');
    expect(out).toContain('5000');
  }, 60_000);

  test('is in the configuration with the origin of its key, in doctor, and in the reference', async () => {
    const { out } = await headgate('doctor', '--offline');
    expect(out).toMatch(/Acme +set up/);
    const pages = [join(folder, 'scripts/reference/printed.mjs')];
    const { stdout } = await run(process.execPath, pages, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    const files = JSON.parse(stdout) as Record<string, string>;
    expect(files['docs/reference/providers.md']).toContain('`ACME_API_KEY`');
    expect(files['docs/reference/configuration.md']).toContain('`ACME_API_KEY`');
    expect(files['server.json']).toContain('ACME_API_KEY');
  }, 60_000);
});
