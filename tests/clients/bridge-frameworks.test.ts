import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { copyFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientFolder, clientNames } from './client-folders.ts';

// Each framework's real package makes tools, `headgate bridge` serves them from a process, an MCP client calls them.

const root = resolve(import.meta.dirname, '../..');
const modules = join(import.meta.dirname, 'bridge-tools');

interface Expectation {
  /** The first answer of `weather` for Kyoto. */
  weather: string;
  /** Further tools and what they answer to `{ city: 'Kyoto' }`. */
  others?: Record<string, string>;
  /** What `broken` answers; frameworks word failures in their own way. */
  broken?: string;
}

const days = 'sunny in Kyoto for 3 days';
const city = '{"city":"Kyoto"}';
const ai: Expectation = { weather: `${days}, string`, others: { stream: 'done', dynamic: city } };

const FRAMEWORKS: Record<string, Expectation> = {
  'ai-5': ai,
  'ai-6': ai,
  'ai-7': ai,
  'openai-agents': { weather: 'sunny in Kyoto', broken: 'An error occurred while running the tool.' },
  langchain: { weather: days, others: { old: city } },
  mastra: { weather: days, others: { ready: '{"ready":true}' } },
  voltagent: { weather: days },
  genkit: { weather: 'sunny in Kyoto', broken: 'too far' },
  llamaindex: { weather: 'sunny in Kyoto' },
  'google-adk': { weather: 'sunny in Kyoto', others: { genai: city }, broken: 'too far' },
  strands: { weather: 'sunny in Kyoto', broken: 'too far' },
  anthropic: { weather: days },
  'claude-agent': { weather: days },
  schemas: {
    weather: 'sunny in Kyoto',
    others: {
      valibot: 'sunny in Kyoto',
      typebox: 'sunny in Kyoto',
      zod3: 'sunny in Kyoto',
      zod_mini: 'sunny in Kyoto',
    },
  },
};

async function connect(folder: string, name: string, args: string[] = []): Promise<Client> {
  const module = join(folder, 'tools.mjs');
  copyFileSync(join(modules, `${name}.mjs`), module);
  const script = `
    import { runBridgeProcess } from ${JSON.stringify(join(root, 'src/bridge/command.ts'))};
    import { createLogger } from ${JSON.stringify(join(root, 'src/core/log.ts'))};
    const logger = createLogger({ level: 'info', write: (line) => process.stderr.write(line), now: Date.now });
    await runBridgeProcess(${JSON.stringify([module, ...args])}, { logger, signal: new AbortController().signal });
  `;
  const client = new Client({ name: 'test', version: '1' });
  const command = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: command,
    cwd: root,
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
  await client.connect(transport, { timeout: 90_000 }).catch((cause: unknown) => {
    throw new Error(`${name} did not start:\n${errors}`, { cause });
  });
  return client;
}

test('every framework has a module of tools', () => {
  for (const name of Object.keys(FRAMEWORKS)) expect(existsSync(join(modules, `${name}.mjs`))).toBe(true);
});

describe.skipIf(clientNames.length === 0)('the real packages', () => {
  const available = Object.entries(FRAMEWORKS).filter(([name]) => clientFolder(name) !== undefined);

  test.each(available)(
    '%s: its tools are listed, called, checked, and fail well',
    async (name, expected) => {
      const client = await connect(clientFolder(name) ?? '', name);
      const { tools } = await client.listTools();
      const all = ['weather', 'broken', ...Object.keys(expected.others ?? {})];
      expect(tools.map((tool) => tool.name).toSorted()).toEqual(all.toSorted());
      const weather = tools.find((tool) => tool.name === 'weather');
      expect(weather).toMatchObject({
        description: 'The weather in a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      });
      expect(weather?.inputSchema.required).toContain('city');
      const call = (tool: string, input: Record<string, unknown>) =>
        client.callTool({ name: tool, arguments: input });
      const textOf = (result: { content: unknown }) => (result.content as { text: string }[])[0]?.text;
      expect(textOf(await call('weather', { city: 'Kyoto' }))).toBe(expected.weather);
      for (const [tool, text] of Object.entries(expected.others ?? {})) {
        expect(textOf(await call(tool, tool === 'ready' ? {} : { city: 'Kyoto' }))).toBe(text);
      }
      const refused = await call('weather', { city: 5 });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain('city: must be text, not a whole number.');
      const failed = await call('broken', {});
      expect(failed.isError).toBe(true);
      expect(textOf(failed)).toContain(expected.broken ?? 'Error: RangeError: too far');
      await client.close();
    },
    120_000,
  );

  test.runIf(clientFolder('schemas'))(
    'a bare Valibot schema is refused with what to do',
    async () => {
      const started = connect(clientFolder('schemas') ?? '', 'schemas', ['--export', 'bare']);
      await expect(started).rejects.toThrow('Wrap it with toStandardJsonSchema of @valibot/to-json-schema.');
    },
    120_000,
  );
});
