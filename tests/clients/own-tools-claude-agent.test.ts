import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMcpServerFromTools } from '../../src/bridge.ts';
import { agentTools, createHeadgate, type Headgate } from '../../src/index.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { fullEnvironment, MAIN, startBuiltSim } from '../support/mcp/built.ts';
import { sharedPath } from '../support/shared.ts';
import { startClaudeAgent, type ClaudeAgent } from './claude-agent.ts';
import { clientFolder } from './client-folders.ts';
import type { Turn } from './scripted-messages.ts';

// The real Claude Agent SDK calls Headgate's own tools and gets their text, without a network.

const folder = clientFolder('claude-agent');
const fake = sharedPath('tools/fake-anthropic.mjs');

const textOf = (turns: Turn[]): string =>
  (turns.at(-1)?.toolResult?.content as { text: string }[] | undefined)?.[0]?.text ?? '';
/** Claude sorts them. */
const namesOf = (turns: Turn[]): string[] => turns[0]?.tools.map(({ name }) => name) ?? [];
const toolsOf = (id: string, server: string): string[] =>
  (toolsets.find((toolset) => toolset.id === id)?.tools ?? [])
    .map(({ name }) => `mcp__${server}__${name}`)
    .sort();

describe.skipIf(folder === undefined)('the Claude Agent SDK with Headgate’s own tools', () => {
  let claude: ClaudeAgent;
  let sim: Awaited<ReturnType<typeof startBuiltSim>>;
  let web: Headgate;
  beforeAll(async () => {
    [claude, sim] = await Promise.all([startClaudeAgent(folder ?? ''), startBuiltSim()]);
    web = createHeadgate({ env: fullEnvironment(sim.url) });
  });
  afterAll(async () => {
    await Promise.all([claude.close(), sim.stop(), web.close()]);
  });

  /** `headgate mcp --tools …`, as it stands in a host's configuration. */
  const stdio = (tools: string) => ({
    type: 'stdio',
    command: process.execPath,
    args: [MAIN, 'mcp', '--tools', tools],
    env: fullEnvironment(sim.url),
  });

  test.each([
    ['default', 'headgate', 'web_search', '{"query":"tidal mills"}', /^[\s\S]*<web-[0-9a-f]{16}>\n1\. /],
    ['tavily', 'tavily', 'tavily_search', '{"query":"tidal mills"}', /^Detailed Results:\n\nTitle: /],
    [
      'tavily-ja',
      'pydantic_tools',
      'tavily_search',
      '{"query":"潮汐","max_results":2}',
      /^## 検索結果: 潮汐\n\n### 1\. /,
    ],
    ['tavily-ja', 'pydantic_tools', 'tavily_context', '{"query":"潮汐"}', /\{"url":"https:/],
    [
      'tavily-ja',
      'pydantic_tools',
      'tavily_extract',
      '{"urls":["https://a.example/page"]}',
      /^## コンテンツ抽出結果\n\n### URL: https:\/\/a\.example\/page\n/,
    ],
  ])('%s over stdio as %s: %s', async (id, server, tool, input, expected) => {
    const prompt = `CALL mcp__${server}__${tool} ${input}`;
    const turns = await claude.ask(prompt, { [server]: stdio(id) }, [`mcp__${server}`]);
    expect(namesOf(turns)).toEqual(toolsOf(id, server));
    expect(turns.at(-1)?.toolResult?.is_error).not.toBe(true);
    expect(textOf(turns)).toMatch(expected);
  });

  test('tavily-ja spec 7.1: the toolset in this process is mcp__pydantic_tools__tavily_*', async () => {
    const server = await createMcpServerFromTools({
      name: 'pydantic_tools',
      toolsets: await agentTools(web, 'tavily-ja'),
    });
    const prompt = 'CALL mcp__pydantic_tools__tavily_search {"query":"tidal mills","max_results":1}';
    const turns = await claude.ask(prompt, { pydantic_tools: server }, ['mcp__pydantic_tools']);
    expect(namesOf(turns)).toEqual([
      'mcp__pydantic_tools__tavily_context',
      'mcp__pydantic_tools__tavily_extract',
      'mcp__pydantic_tools__tavily_search',
    ]);
    expect(textOf(turns)).toMatch(/^## 検索結果: tidal mills\n\n### 1\. .+\nURL: https:\S+\nスコア: /);
  });

  test('tavily-ja spec 5.3: an error reaches the model as the two lines', async () => {
    const server = await createMcpServerFromTools({
      name: 'pydantic_tools',
      toolsets: await agentTools(web, 'tavily-ja'),
    });
    const prompt = 'CALL mcp__pydantic_tools__tavily_search {"query":" "}';
    const turns = await claude.ask(prompt, { pydantic_tools: server }, ['mcp__pydantic_tools']);
    expect(turns.at(-1)?.toolResult?.is_error).toBe(true);
    expect(JSON.stringify(turns.at(-1)?.toolResult?.content)).toMatch(
      /Tavily API エラー: .+\\nエラータイプ: VALIDATION_ERROR/,
    );
  });

  test.skipIf(fake === undefined)('the same with the stand-in that lies beside the repository', async () => {
    const { startFake } = (await import(pathToFileURL(fake ?? '').href)) as {
      startFake(script: {
        toolName: string;
        input: object;
      }): Promise<{ url: string; seen: { toolResult?: { content: unknown } }[]; close(): void }>;
    };
    const toolName = 'mcp__pydantic_tools__tavily_search';
    const api = await startFake({ toolName, input: { query: '潮汐', max_results: 1 } });
    await claude.askAt(api.url, 'Search.', { pydantic_tools: stdio('tavily-ja') }, ['mcp__pydantic_tools']);
    const results = api.seen.flatMap(({ toolResult }) => toolResult ?? []);
    expect(JSON.stringify(results[0]?.content)).toContain('## 検索結果: 潮汐');
    api.close();
  });
});
