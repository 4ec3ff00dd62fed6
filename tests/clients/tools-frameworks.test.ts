import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeadgateError } from '../../src/core/errors.ts';
import { defaultTools } from '../../src/toolsets/default/default.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { clientFolder, clientNames, nodeOf } from './client-folders.ts';

// The examples of docs/guides/sdk.md with the real packages: their types are checked, then a scripted model uses the tools.

const root = resolve(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/guides/sdk.md'), 'utf8');

/** Folder of the client → the program around the example, and what the example imports. */
const FRAMEWORKS = [
  ['ai-5', 'ai', "from 'ai'"],
  ['ai-6', 'ai', "from 'ai'"],
  ['ai-7', 'ai', "from 'ai'"],
  ['langchain', 'langchain', "from '@langchain/core/tools'"],
  ['openai-agents', 'openai-agents', "from '@openai/agents'"],
  ['mastra', 'mastra', "from '@mastra/core/agent'"],
] as const;

const exampleFor = (imported: string): string =>
  [...guide.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = '']) => code)
    .find((code) => code.includes(imported)) ?? '';

test.each(FRAMEWORKS)('%s has an example', (_client, _program, imported) => {
  expect(exampleFor(imported)).toContain("from 'headgate/tools'");
});

let gateway: TestGateway | undefined;
let url: string;
let apiKey: string;
/** The page that never comes: when it is asked for, and when nobody waits for it any more. */
let isAsked: () => void;
let isStopped: () => void;
beforeAll(async () => {
  if (clientNames.length === 0) return;
  gateway = await createTestGateway({
    config: { 'providers.tavily.api_key': 'tvly-operator', 'search.provider': 'tavily' },
    web: (address, { signal }) =>
      address.includes('slow.')
        ? new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => {
              isStopped();
              reject(new HeadgateError('cancelled', 'It was cancelled.'));
            });
            isAsked();
          })
        : Promise.reject(new HeadgateError('network_error', 'The host does not answer.')),
  });
  url = (await gateway.listen()).url;
  apiKey = (await gateway.newKey({ tier: 'pro' })).key;
});
afterAll(() => gateway?.close());

interface Heard {
  tools: unknown;
  messages: unknown;
}

describe.each(FRAMEWORKS.filter(([client]) => clientFolder(client) !== undefined))(
  '%s',
  (client, program, imported) => {
    const folder = join(clientFolder(client) ?? '', 'tools');
    const modules = join(folder, '../node_modules');

    /** Makes a program of the example and runs it, with what the model is to say; `leave` ends the user's visit. */
    async function run(steps: object[], leave?: Promise<void>): Promise<{ said: string; heard: Heard[] }> {
      const child = spawn(
        client === 'mastra' ? nodeOf(22) : process.execPath,
        [join(folder, 'program.mjs')],
        {
          cwd: folder,
          env: {
            PATH: process.env['PATH'],
            HEADGATE_SCRIPT: JSON.stringify({ baseUrl: url, apiKey, steps }),
          },
          stdio: ['pipe', 'pipe', 'pipe'],
          timeout: 60_000,
        },
      );
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data: Buffer) => (said += data.toString()));
      void leave?.then(() => child.stdin.write('leave\n'));
      await new Promise((done) => child.once('close', done));
      const heard = /\nHEARD (.*)/.exec(said)?.[1];
      if (heard === undefined) throw new Error(`${client} ended with ${said}`);
      return { said, heard: JSON.parse(heard) as Heard[] };
    }

    beforeAll(() => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(join(import.meta.dirname, 'tools'), folder, { recursive: true });
      rmSync(join(modules, 'headgate'), { recursive: true, force: true });
      mkdirSync(modules, { recursive: true });
      symlinkSync(join(root, 'package'), join(modules, 'headgate'));
      const around = readFileSync(join(import.meta.dirname, `tools/${program}.ts`), 'utf8');
      writeFileSync(join(folder, 'program.ts'), around.replace('// EXAMPLE', exampleFor(imported)));
      buildSync({
        entryPoints: [join(folder, 'program.ts')],
        outfile: join(folder, 'program.mjs'),
        bundle: true,
        packages: 'external',
        format: 'esm',
        platform: 'node',
        logLevel: 'error',
      });
    });

    test('the example has the right types', () => {
      const options =
        '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --allowImportingTsExtensions --types node';
      const args = [...options.split(' '), '--typeRoots', join(root, 'node_modules/@types'), 'program.ts'];
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      let said = '';
      try {
        execFileSync(process.execPath, [compiler, ...args], { cwd: folder, encoding: 'utf8' });
      } catch (thrown) {
        said = (thrown as { stdout: string }).stdout;
      }
      expect(said).toBe('');
    }, 120_000);

    test('the model is offered the tools, reads their answers, and what to do when they fail', async () => {
      const { said, heard } = await run([
        { name: 'web_search', input: { query: 'tidal mills', max_results: 1 } },
        { name: 'web_search', input: { query: ' ' } },
        { name: 'fetch_url', input: { url: 'https://gone.example/' } },
      ]);
      expect(said).toContain('ANSWER "In 1742."');
      const offered = JSON.stringify(heard[0]?.tools);
      for (const { name, description } of defaultTools.tools) {
        expect(offered).toContain(`"${name}"`);
        expect(offered).toContain(JSON.stringify(description));
      }
      expect(offered).toContain('"only this recent"');
      const [, found, refused, unread] = heard.map(({ messages }) => JSON.stringify(messages));
      expect(found).toMatch(/<web-[0-9a-f]{16}>\\n1\. tidal mills/);
      expect(refused).toMatch(/query: is blank.*Retryable: no\./);
      expect(unread).toContain('find another source with web_search');
    }, 120_000);

    test('its signal cancels the call, also at the gateway', async () => {
      const asked = new Promise<void>((done) => (isAsked = done));
      const stopped = new Promise<void>((done) => (isStopped = done));
      const running = run([{ name: 'fetch_url', input: { url: 'https://slow.example/' } }], asked);
      await Promise.race([stopped, running]);
      expect((await running).heard).toHaveLength(1);
    }, 120_000);
  },
);
