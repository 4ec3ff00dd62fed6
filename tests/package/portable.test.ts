import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { build, type Platform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
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

/** Bundles a program that sets `made`, and returns that from a realm without anything of Node. */
async function runAs(platform: Platform, code: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    platform,
    format: 'iife',
    write: false,
    logLevel: 'silent',
  });
  const web = { AbortSignal, Response, TextDecoder, TextEncoder, URL, clearTimeout, setTimeout };
  const realm = vm.createContext({ ...web, made: undefined as unknown });
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
