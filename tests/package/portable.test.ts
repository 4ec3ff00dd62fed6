import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { build, type Format, type Platform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { extractHtml } from '../../src/extract.ts';
import { fitText, rankChunks, tokenise } from '../../src/rank.ts';
import background from '../../src/rank/background.json' with { type: 'json' };
import model from '../../src/extract/choice/model.json' with { type: 'json' };
import { root } from '../support/packed.ts';

/** What is for other runtimes than Node, as it is published: it is bundled for them and run with the globals that they have. */
const folder = mkdtempSync(join(tmpdir(), 'headgate-portable-'));
beforeAll(() => {
  // A copy: what is installed in the repository, such as `unpdf`, must not be found from it.
  cpSync(join(root, 'package'), join(folder, 'node_modules/headgate'), { recursive: true });
});

/** Every file that a module imports, from its text. */
function importsOf(file: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\(|(?<=builtins\.cjs["']\))\()\s*\(?["']([^"']+)["']/g)].map(
    ([, name = '']) => name,
  );
  seen.set(file, named);
  for (const name of named) if (name.startsWith('.')) importsOf(join(dirname(file), name), seen);
  return seen;
}

async function bundled(platform: Platform, format: Format, code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    platform,
    format,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Bundles a program that sets `made`, and returns that from a realm with what browsers have. */
async function runAs(platform: Platform, code: string): Promise<unknown> {
  const web = { AbortSignal, atob, btoa, Response, TextDecoder, TextEncoder, URL, clearTimeout, setTimeout };
  const realm = vm.createContext({ ...web, made: undefined as unknown });
  vm.runInContext(await bundled(platform, 'iife', code), realm);
  return realm['made'];
}

/** Bundles such a program into an ES module in an empty folder, and runs that. */
async function runOnNode(code: string): Promise<unknown> {
  const empty = mkdtempSync(join(tmpdir(), 'headgate-bundle-'));
  const print = 'globalThis.made.then((all) => console.log(JSON.stringify(all)));';
  const text = await bundled('node', 'esm', `${code.replace('made =', 'globalThis.made =')}${print}`);
  writeFileSync(join(empty, 'main.mjs'), text);
  return JSON.parse(execFileSync(process.execPath, ['main.mjs'], { cwd: empty, encoding: 'utf8' })) as unknown;
}

const CLIENT = `
  import { createClient, HeadgateError } from 'headgate/client';
  import { langChainTools } from 'headgate/tools';
  const fetch = async (url) => Response.json({ detail: { error: 'No ' + url, code: 'forbidden', retryable: false } }, { status: 403 });
  const web = createClient({ baseUrl: 'https://gate.example', fetch });
  made = langChainTools(web, (run) => run)
    .catch((thrown) => [thrown instanceof HeadgateError, thrown.code, thrown.message]);`;

describe('headgate/client and headgate/tools', () => {
  test.each(['client', 'tools'])('headgate/%s imports nothing, of Node or of anybody', (name) => {
    const walked = importsOf(join(root, `package/dist/${name}.js`));
    expect([...walked.values()].flat()).toEqual([]);
    // The same walk sees what a file of the engine imports.
    expect([...importsOf(join(root, 'package/dist/extract.js')).values()].flat()).toContain(
      'node:worker_threads',
    );
  });

  test.each<Platform>(['browser', 'neutral'])('bundled for %s, they run without Node', async (platform) => {
    expect(await runAs(platform, CLIENT)).toEqual([true, 'forbidden', 'No https://gate.example/mcp?tools=default']);
  });
});

const paragraph = 'A gate lets water into the canal, and somebody opens it early in the morning. '.repeat(4);
const HTML = `<title>Gates</title><nav><a href="/a">Home</a><a href="/b">Shop</a></nav><main><h1>Gates</h1>
  <p>${paragraph}</p><p>水門を開ける人がいる。${paragraph}</p></main><footer>All rights reserved</footer>`;
const documents = [{ id: 'a', content: paragraph }, { id: 'b', content: 'Another text, about mills and tides.' }];

/** Everything that a bundle of the pure parts must be able to do, and what it makes of the same things in process. */
const PURE = `
  import { extractHtml } from 'headgate/extract';
  import { countTokens, estimateTokens, fitText, rankChunks, tokenise } from 'headgate/rank';
  const text = ${JSON.stringify(paragraph)};
  made = (async () => ({
    page: extractHtml(${JSON.stringify(HTML)}, { url: 'https://gate.example/' }),
    ranked: rankChunks('water gate', ${JSON.stringify(documents)}),
    terms: tokenise('Water gates'),
    isEstimated: (await countTokens(text)) === estimateTokens(text),
    cursor: (await fitText(text.repeat(20), { tokensMax: 100 })).cursor,
  }))();`;

describe('headgate/extract and headgate/rank', () => {
  test.each([
    ['browsers', () => runAs('browser', PURE)],
    ['Node', () => runOnNode(PURE)],
  ])('bundled for %s, they read and rank as in process', async (_target, run) => {
    const made = JSON.parse(JSON.stringify(await run())) as Record<string, unknown>;
    const { cursor = '' } = await fitText(paragraph.repeat(20), { tokensMax: 100 });
    expect(made).toMatchObject({
      page: JSON.parse(JSON.stringify(extractHtml(HTML, { url: 'https://gate.example/' }))) as object,
      ranked: JSON.parse(JSON.stringify(rankChunks('water gate', documents))) as object,
      terms: tokenise('Water gates'),
      isEstimated: true,
    });
    // Tokens are estimated in a bundle, so a text may be cut elsewhere; what it is fingerprinted by is the same.
    expect(atob(String(made['cursor'])).split('.')[1]).toBe(atob(cursor).split('.')[1]);
  });

  test('each table is in the package once', () => {
    const dist = join(root, 'package/dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('js'));
    const texts = files.map((name) => readFileSync(join(dist, name), 'utf8'));
    for (const table of [background.words, background.packed, model.packed, 'o200k-base.br']) {
      const [sample = ''] = table.match(/[\w.-]{12,}/) ?? [];
      expect([sample.length >= 12, texts.filter((text) => text.includes(sample)).length]).toEqual([true, 1]);
    }
  });
});
