import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A provider that nobody has, added as docs/guides/add-a-provider.md says: one file and one line. */
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'headgate-made-up-'));
const home = join(folder, 'home');
let upstream: Server;
let asked: string[] = [];

const ACME = `
import { z } from 'zod';
import { own } from '../core/own-text.ts';
import { baseUrl } from './kit/base-url.ts';
import { failureOf } from './kit/failure.ts';
import { makeSource, rankScore } from './kit/make-source.ts';
import { defineProvider } from './provider.ts';
import { readJson } from './kit/read-json.ts';

const ACME = { id: 'acme', title: own\`Acme\`, keyVariable: own\`ACME_API_KEY\`, keyPrefix: own\`acme-\` };
const answer = z.object({ hits: z.array(z.object({ title: z.string(), link: z.string(), text: z.string() })) });

export const acme = defineProvider({
  ...ACME,
  homepage: 'https://acme.example/api',
  settings: z.object({ base_url: baseUrl('https://api.acme.example') }),
  keys: 'required',
  paceMs: 0,
  creditPrice: 5_000,
  fail: (response, now) => failureOf(ACME, response, { now }),
  search: {
    queryCharsMax: 400,
    request: (query, settings, key) => ({
      method: 'GET',
      url: \`\${settings.base_url}/search?q=\${encodeURIComponent(query.text)}\`,
      headers: { authorization: \`Bearer \${key ?? ''}\` },
    }),
    parse: (response) => {
      const { hits } = readJson(response, ACME, answer);
      const sources = hits.flatMap(({ title, link, text }, index) => {
        const source = makeSource({ provider: 'acme', url: link, title, content: text, score: rankScore(index) });
        return source === undefined ? [] : [source];
      });
      return { sources, outcome: sources.length === 0 ? 'empty' : 'ok', credits: 1 };
    },
  },
});
`;

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
  upstream = createServer((request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`);
    const hit = {
      title: 'The tide mill of Acme',
      link: 'https://acme.example/mill',
      text: 'A mill driven by the tide.',
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ hits: [hit] }));
  });
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
}, 60_000);
afterAll(() => {
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function headgate(...argv: string[]): Promise<{ out: string; err: string }> {
  const env = {
    PATH: process.env['PATH'],
    HEADGATE_HOME: home,
    ACME_API_KEY: 'acme-0123456789',
    HEADGATE_PROVIDERS__ACME__BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  };
  const args = [join(folder, 'src/main.mjs'), ...argv];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env, timeout: 50_000 });
  return { out: stdout, err: stderr };
}

describe('a made-up provider', () => {
  test('is asked with the key of its own variable, first of all', async () => {
    asked = [];
    const { out } = await headgate('search', 'tide mill', '--json');
    const { results } = JSON.parse(out) as { results: { url: string; provider: string }[] };
    expect(results[0]).toMatchObject({ url: 'https://acme.example/mill', provider: 'acme' });
    expect(asked).toEqual(['Bearer acme-0123456789 /search?q=tide%20mill']);
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
