import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { root } from '../support/packed.ts';
import { clientFolder } from './client-folders.ts';
import { startScriptedMessages } from './scripted-messages.ts';

// The examples with frameworks of others: their types are checked, and they run and check themselves, over the simulated web.
const CLIENTS: Record<string, string[]> = {
  'ai-sdk-citations': ['ai-5', 'ai-6', 'ai-7'],
  'claude-agent-sdk': ['claude-agent'],
  'langchain-retriever': ['langchain'],
  'openai-agents': ['openai-agents'],
};
const run = promisify(execFile);

test('every example with a framework is in the table', () => {
  const names = readdirSync(join(root, 'examples/frameworks')).map((name) => name.replace('.ts', ''));
  expect(names.filter((name) => name !== 'model').sort()).toEqual(Object.keys(CLIENTS));
});

const here = Object.entries(CLIENTS)
  .flatMap(([name, clients]) => clients.map((client) => [name, client] as const))
  .filter(([, client]) => clientFolder(client) !== undefined);

describe.each(here)('%s with %s', (name, client) => {
  test('runs and finds its answers right', async () => {
    const folder = join(clientFolder(client) ?? '', 'examples');
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(root, 'examples'), folder, { recursive: true });
    const linked = join(folder, '../node_modules/headgate');
    rmSync(linked, { recursive: true, force: true });
    mkdirSync(join(linked, '..'), { recursive: true });
    symlinkSync(join(root, 'package'), linked);
    const options =
      '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --allowImportingTsExtensions --types node';
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = [
      ...options.split(' '),
      '--typeRoots',
      join(root, 'node_modules/@types'),
      `frameworks/${name}.ts`,
    ];
    const checked = await run(process.execPath, [compiler, ...args], { cwd: folder }).catch(
      (thrown: { stdout: string }) => thrown,
    );
    // The stand-in for models names the types of two frameworks; a reader has one of them.
    const errors = checked.stdout
      .split('\n')
      .filter((line) => /error TS/.test(line) && !/model\.ts/.test(line));
    expect(errors).toEqual([]);

    buildSync({
      entryPoints: [join(folder, 'frameworks', `${name}.ts`)],
      outfile: join(folder, `${name}.mjs`),
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    });
    const api = await startScriptedMessages();
    const prompt = 'CALL mcp__headgate__web_search {"query":"rust programming"}';
    const { stdout } = await run(process.execPath, [join(folder, `${name}.mjs`), prompt], {
      cwd: folder,
      timeout: 100_000,
      env: {
        PATH: process.env['PATH'],
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ENABLE_TOOL_SEARCH: 'false',
      },
    }).finally(() => api.close());
    expect(stdout.trim()).not.toBe('');
  }, 150_000);
});
