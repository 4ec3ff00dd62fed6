import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { build, type Platform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { extractHtml } from '../../src/extract.ts';
import { fitText, rankChunks, tokenise } from '../../src/rank.ts';
import { root } from '../support/packed.ts';

/** What is for other runtimes than Node, as it is published: it is bundled for them and run with the globals that they have. */
const folder = mkdtempSync(join(tmpdir(), 'headgate-portable-'));
beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'package'), join(folder, 'node_modules/headgate'));
});

/** Every file that a module imports, from its text. */
function importsOf(file: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*\(?["']([^"']+)["']/g)].map(
    ([, name = '']) => name,
  );
  seen.set(file, named);
  for (const name of named) if (name.startsWith('.')) importsOf(join(dirname(file), name), seen);
  return seen;
}

/** Bundles a program that sets `made`, and returns that from a realm with what the platform has. */
async function runAs(platform: Platform, code: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    platform,
    format: 'iife',
    write: false,
    logLevel: 'silent',
  });
  const web = { AbortSignal, atob, btoa, Response, TextDecoder, TextEncoder, URL, clearTimeout, setTimeout };
  const node = platform === 'node' ? { Buffer, process, require: createRequire(import.meta.url) } : {};
  const realm = vm.createContext({ ...web, ...node, made: undefined as unknown });
  vm.runInContext(outputFiles[0]?.text ?? '', realm);
  return realm['made'];
}

const CLIENT = `
  import { createClient, HeadgateError } from 'headgate/client';
  const fetch = async (url) => Response.json({ detail: { error: 'No ' + url, code: 'forbidden', retryable: false } }, { status: 403 });
  made = createClient({ baseUrl: 'https://gate.example', fetch }).search({ query: 'mills' })
    .catch((thrown) => [thrown instanceof HeadgateError, thrown.code, thrown.message]);`;

describe('headgate/client', () => {
  test('imports nothing, of Node or of anybody', () => {
    const walked = importsOf(join(root, 'package/dist/client.js'));
    expect([...walked.values()].flat()).toEqual([]);
    // The same walk sees what a file of the engine imports.
    expect([...importsOf(join(root, 'package/dist/extract.js')).values()].flat()).toContain(
      'node:worker_threads',
    );
  });

  test.each<Platform>(['browser', 'neutral'])('bundled for %s, it runs without Node', async (platform) => {
    expect(await runAs(platform, CLIENT)).toEqual([true, 'forbidden', 'No https://gate.example/search']);
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
  test.each<Platform>(['browser', 'node'])('bundled for %s, they read and rank as in process', async (platform) => {
    const made = JSON.parse(JSON.stringify(await runAs(platform, PURE))) as Record<string, unknown>;
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
});
