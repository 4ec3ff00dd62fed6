import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMcpServerFromTools,
  createToolRegistry,
  serveHttp,
  type ToolSelection,
} from '../../src/bridge.ts';
import { startClaudeAgent, type ClaudeAgent } from './claude-agent.ts';
import { clientFolder } from './client-folders.ts';
import type { Turn } from './scripted-messages.ts';

// The real Claude Agent SDK and its command line, driven without a network by a scripted Messages API.

const folder = clientFolder('claude-agent');

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (name: string) => ({
  name,
  description: `Tells about ${name}.`,
  inputSchema,
  execute: ({ city }: { city: string }) => `${name} of ${city}`,
});

describe.skipIf(folder === undefined)('the Claude Agent SDK', () => {
  let claude: ClaudeAgent;
  const ask: ClaudeAgent['ask'] = (...query) => claude.ask(...query);

  beforeAll(async () => {
    claude = await startClaudeAgent(folder ?? '');
  });
  afterAll(() => claude.close());

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
