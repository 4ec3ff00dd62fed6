import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMcpServerFromTools,
  createToolRegistry,
  serveHttp,
  type ToolSelection,
} from '../../src/bridge.ts';
import { clientFolder } from './client-folders.ts';
import { startScriptedMessages, type Turn } from './scripted-messages.ts';

// The real Claude Agent SDK and its command line, driven without a network by a scripted Messages API.

const folder = clientFolder('claude-agent');

type Query = (request: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<unknown>;

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (name: string) => ({
  name,
  description: `Tells about ${name}.`,
  inputSchema,
  execute: ({ city }: { city: string }) => `${name} of ${city}`,
});

describe.skipIf(folder === undefined)('the Claude Agent SDK', () => {
  let api: Awaited<ReturnType<typeof startScriptedMessages>>;
  let home = '';
  let query: Query;

  beforeAll(async () => {
    api = await startScriptedMessages();
    home = mkdtempSync(join(tmpdir(), 'headgate-claude-'));
    const file = join(folder ?? '', 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
    ({ query } = (await import(pathToFileURL(file).href)) as { query: Query });
  });
  afterAll(async () => {
    await api.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Runs one query to its end and gives what the model was sent in each turn. */
  async function ask(
    prompt: string,
    mcpServers: unknown,
    allowedTools: string[] | undefined,
  ): Promise<Turn[]> {
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ENABLE_TOOL_SEARCH: 'false',
    };
    const options = {
      cwd: home,
      env,
      mcpServers,
      maxTurns: 4,
      settingSources: [],
      ...(allowedTools && { allowedTools }),
    };
    for await (const message of query({ prompt, options })) expect(message).toBeDefined();
    return api.turns.filter((turn) => turn.prompt === prompt);
  }

  const askFor = (prompt: string, selection: ToolSelection) =>
    ask(prompt, selection.mcpServers, selection.allowedTools([]));

  const toolNames = (turns: Turn[]) => turns[0]?.tools.map(({ name }) => name);

  test('SC-001, SC-002: calls a bridged tool in this process and gets its result', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets({ tools: [tool('weather')] });
    const turns = await askFor(
      'CALL mcp__agent_tools__weather {"city":"Kyoto"}',
      registry.processFunctionTools(),
    );
    expect(turns[0]?.tools[0]).toMatchObject({
      description: 'Tells about weather.',
      input_schema: inputSchema,
    });
    expect(turns.at(-1)?.toolResult?.content).toEqual([{ type: 'text', text: 'weather of Kyoto' }]);
  }, 60_000);

  test('SC-005: what is wrong with the arguments reaches the model as an error', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets({ tools: [tool('weather')] });
    const turns = await askFor('CALL mcp__agent_tools__weather {"city":5}', registry.processFunctionTools());
    expect(turns.at(-1)?.toolResult).toMatchObject({ is_error: true });
    expect(JSON.stringify(turns.at(-1)?.toolResult?.content)).toContain(
      'city: must be text, not a whole number.',
    );
  }, 60_000);

  test('US5-1, SC-006: a filtered request sees only its tools, and concurrent ones do not see each other', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets({ tools: [tool('a'), tool('b'), tool('c')] });
    const [one, two] = await Promise.all([
      askFor('CALL mcp__agent_tools__a {"city":"Rome"}', registry.processFunctionTools(['a'])),
      askFor('CALL mcp__agent_tools__b {"city":"Oslo"}', registry.processFunctionTools(['b', 'c'])),
    ]);
    expect(toolNames(one)).toEqual(['mcp__agent_tools__a']);
    expect(toolNames(two)).toEqual(['mcp__agent_tools__b', 'mcp__agent_tools__c']);
    expect(one.at(-1)?.toolResult?.content).toEqual([{ type: 'text', text: 'a of Rome' }]);
    expect(two.at(-1)?.toolResult?.content).toEqual([{ type: 'text', text: 'b of Oslo' }]);
    const all = await askFor('LIST', registry.processFunctionTools());
    expect(toolNames(all)).toEqual(['a', 'b', 'c'].map((name) => `mcp__agent_tools__${name}`));
  }, 90_000);

  test('one server object may be used by two queries at once', async () => {
    const mcpServers = {
      shared: await createMcpServerFromTools({ name: 'shared', toolsets: [tool('weather')] }),
    };
    const prompts = ['Rome', 'Oslo'].map((city) => `CALL mcp__shared__weather {"city":"${city}"}`);
    const both = await Promise.all(
      prompts.map((prompt) => ask(prompt, mcpServers, ['mcp__shared__weather'])),
    );
    expect(both.map((turns) => turns.at(-1)?.toolResult?.content)).toEqual([
      [{ type: 'text', text: 'weather of Rome' }],
      [{ type: 'text', text: 'weather of Oslo' }],
    ]);
  }, 90_000);

  test('calls the same tools over HTTP', async () => {
    const serving = await serveHttp(await createMcpServerFromTools({ toolsets: [tool('weather')] }));
    const mcpServers = { remote: { type: 'http', url: serving.url } };
    const turns = await ask('CALL mcp__remote__weather {"city":"Lima"}', mcpServers, ['mcp__remote']);
    expect(turns.at(-1)?.toolResult?.content).toEqual([{ type: 'text', text: 'weather of Lima' }]);
    await serving.close();
  }, 60_000);
});
