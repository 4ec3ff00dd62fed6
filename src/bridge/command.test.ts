import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { runBridgeCommand } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-bridge-'));
afterAll(() => rmSync(folder, { recursive: true }));

writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
writeFileSync(
  join(folder, 'tools.ts'),
  `type City = { city: string };
  if (process.env['NODE_ENV'] !== 'test') console.log('a module that prints when it is loaded');
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
  export const tools = {
    weather: { description: 'Weather.', inputSchema, execute: ({ city }: City): string => 'sunny in ' + city },
    noisy: { inputSchema, execute: () => { console.log('not for the protocol'); process.stdout.write('nor this\\n'); return 'quiet'; } },
    crash: { inputSchema, execute: () => { setTimeout(() => { throw new Error('in the background'); }, 0); void Promise.reject(new Error('unhandled')); return 'still here'; } },
  };
  export const others = () => [{ name: 'other', inputSchema, execute: () => 1 }];
  export const nothing = [];
  `,
);
writeFileSync(
  join(folder, 'tools.cjs'),
  `module.exports = { tools: [{ name: 'common', inputSchema: { type: 'object' }, execute: () => 'js' }] };`,
);
writeFileSync(
  join(folder, 'loose.mjs'),
  `export const hello = { inputSchema: { type: 'object' }, execute: () => 'hello' }; export const version = 1;`,
);
writeFileSync(join(folder, 'broken.mjs'), `export const tools = ;`);

async function process_(args: string[]): Promise<{ client: Client; errors: () => string }> {
  const command = resolve(import.meta.dirname, 'command.ts');
  const log = resolve(import.meta.dirname, '../core/log.ts');
  const script = `
    import { runBridgeProcess } from ${JSON.stringify(command)};
    import { createLogger } from ${JSON.stringify(log)};
    const logger = createLogger({ level: 'info', write: (line) => process.stderr.write(line), now: Date.now });
    await runBridgeProcess(${JSON.stringify(args)}, { logger, signal: new AbortController().signal });
  `;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', '--input-type=module', '--eval', script],
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return { client, errors: () => errors };
}

/** Runs the command in this process over HTTP and gives its tools' names. */
async function namesOver(args: string[]): Promise<string[]> {
  const controller = new AbortController();
  const url = await new Promise<string>((found, failed) => {
    const environment = {
      cwd: folder,
      input: new PassThrough(),
      output: new PassThrough(),
      print: (line: string) => found(line.split(' at ')[1] ?? ''),
      signal: controller.signal,
    };
    runBridgeCommand([...args, '--http'], environment).catch(failed);
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  await client.close();
  controller.abort();
  return tools.map(({ name }) => name);
}

describe('headgate bridge', () => {
  test('serves a TypeScript module over stdio; what its tools print or throw behind our back does no harm', async () => {
    const { client, errors } = await process_([
      join(folder, 'tools.ts'),
      '--name',
      'mine',
      '--version',
      '2.0.0',
    ]);
    expect(client.getServerVersion()).toEqual({ name: 'mine', version: '2.0.0' });
    const call = async (name: string) =>
      (await client.callTool({ name, arguments: { city: 'Kyoto' } })).content;
    expect(await call('weather')).toEqual([{ type: 'text', text: 'sunny in Kyoto' }]);
    expect(await call('noisy')).toEqual([{ type: 'text', text: 'quiet' }]);
    expect(await call('crash')).toEqual([{ type: 'text', text: 'still here' }]);
    expect(await call('weather')).toEqual([{ type: 'text', text: 'sunny in Kyoto' }]);
    expect(errors()).toContain('a module that prints when it is loaded');
    expect(errors()).toContain('not for the protocol');
    expect(errors()).toContain('tool_exception_in_background');
    expect(errors()).toContain('tool_rejection_in_background');
    await client.close();
  });

  test('finds tools by the name of an export, of a default, or by their shape', async () => {
    expect(await namesOver(['tools.ts', '--export', 'others'])).toEqual(['other']);
    expect(await namesOver(['tools.ts', '--tool', 'noisy', '--tool', 'weather'])).toEqual([
      'weather',
      'noisy',
    ]);
    expect(await namesOver(['tools.cjs'])).toEqual(['common']);
    expect(await namesOver(['loose.mjs'])).toEqual(['hello']);
  });

  test.each([
    [[], 'Give exactly one module.'],
    [['a', 'b'], 'Give exactly one module.'],
    [['tools.ts', '--stdio', '--http'], 'Choose --stdio or --http, not both.'],
    [['tools.ts', '--nope'], 'Unknown flag --nope.'],
    [['tools.ts', '--http', '--port', 'x'], '--port: "x" is not a whole number from 0 to 65535.'],
    [['tools.ts', '--timeout', 'x'], "--timeout: 'x' is not a time."],
    [['tools.ts', '--export', 'nope'], "tools.ts has no export 'nope'. It has: nothing, others, tools."],
    [['tools.ts', '--export', 'nothing'], 'tools.ts holds no tools.'],
    [['tools.ts', '--tool', 'x'], 'Tools not found in the registered toolsets: x.'],
    [['missing.mjs'], 'Cannot load'],
    [['broken.mjs'], 'Cannot load'],
    [['tools.ts', '--http', '--host', '0.0.0.0'], 'a token, and the allowed host names'],
  ])('%j says what is wrong', async (args, message) => {
    const environment = {
      cwd: folder,
      input: new PassThrough(),
      output: new PassThrough(),
      print: () => undefined,
    };
    const signal = AbortSignal.abort();
    await expect(runBridgeCommand(args, { ...environment, signal })).rejects.toThrow(message);
  });
});
