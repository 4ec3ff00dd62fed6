import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createHeadgate } from '../../src/index.ts';
import { aiSdkTools } from '../../src/tools.ts';
import { runHeadgate } from '../support/cli.ts';
import { fullEnvironment, MAIN, startBuiltSim } from '../support/mcp/built.ts';
import { startClaudeAgent } from './claude-agent.ts';
import { clientFolder, load } from './client-folders.ts';

// Real agent loops with a scripted model, recorded once and replayed when nobody is left to ask: the model reads the same bytes.

const home = mkdtempSync(join(tmpdir(), 'recorded-agents-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The environment of a run: with keys while it is recorded, without any when it is replayed. */
const environmentOf = (sim: string, mode: 'record' | 'replay', file: string): Record<string, string> => {
  const { TAVILY_API_KEY: key = '', ...rest } = fullEnvironment(sim);
  return {
    ...rest,
    HEADGATE_WEB__MODE: mode,
    HEADGATE_WEB__SNAPSHOT: file,
    HEADGATE_WEB__PACK: 'false',
    ...(mode === 'record' ? { TAVILY_API_KEY: key } : {}),
  };
};

const claudeFolder = clientFolder('claude-agent');
test.skipIf(claudeFolder === undefined)(
  'the Claude Agent SDK reads the same when its run is replayed',
  async () => {
    const file = join(home, 'claude.wacz');
    const [claude, sim] = await Promise.all([startClaudeAgent(claudeFolder ?? ''), startBuiltSim()]);
    const prompts = [
      'CALL mcp__headgate__web_search {"query":"tidal mills"}',
      `CALL mcp__headgate__fetch_url {"url":"${sim.url}/web/river"}`,
    ];
    const play = async (mode: 'record' | 'replay') => {
      const env = environmentOf(sim.url, mode, file);
      const headgate = { type: 'stdio', command: process.execPath, args: [MAIN, 'mcp'], env };
      const results: unknown[] = [];
      for (const prompt of prompts) {
        const turns = await claude.ask(prompt, { headgate }, ['mcp__headgate']);
        results.push(turns.at(-1)?.toolResult);
      }
      return results;
    };
    const recorded = await play('record');
    expect((await runHeadgate(['snapshot', 'repair', file], { home })).code).toBe(0);
    await sim.stop();
    expect(JSON.stringify(recorded)).toMatch(/<web-[0-9a-f]{16}>/);
    expect(JSON.stringify(recorded)).toContain('The river rises at 1,830 metres');
    expect(await play('replay')).toEqual(recorded);
    await claude.close();
  },
  120_000,
);

interface AiSdk {
  jsonSchema(schema: unknown): unknown;
  stepCountIs(count: number): unknown;
  generateText(options: object): Promise<{ text: string }>;
}

describe.each(['ai-5', 'ai-6', 'ai-7'].filter((name) => clientFolder(name) !== undefined))('%s', (client) => {
  test('the AI SDK reads the same when its run is replayed', async () => {
    const ai = (await load(client, 'ai')) as unknown as AiSdk;
    const file = join(home, `${client}.wacz`);
    const sim = await startBuiltSim();
    const calls = [
      { toolName: 'web_search', input: { query: 'tidal mills' } },
      { toolName: 'fetch_url', input: { url: `${sim.url}/web/mill` } },
    ];
    const play = async (mode: 'record' | 'replay'): Promise<string> => {
      const { HEADGATE_WEB__PACK: _pack, ...env } = environmentOf(sim.url, mode, file);
      const web = createHeadgate({ env, home: join(home, mode) });
      const read: unknown[] = [];
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      const model = {
        specificationVersion: 'v2',
        provider: 'test',
        modelId: 'scripted',
        supportedUrls: {},
        doGenerate: async ({ prompt }: { prompt: unknown }) => {
          read.push(prompt);
          const call = calls[read.length - 1];
          return call === undefined
            ? { finishReason: 'stop', content: [{ type: 'text', text: 'In 1742.' }], usage, warnings: [] }
            : {
                finishReason: 'tool-calls',
                content: [
                  {
                    type: 'tool-call',
                    toolCallId: `call-${read.length}`,
                    toolName: call.toolName,
                    input: JSON.stringify(call.input),
                  },
                ],
                usage,
                warnings: [],
              };
        },
      };
      const { text } = await ai.generateText({
        model,
        prompt: 'Since when has the mill ground wheat?',
        tools: await aiSdkTools(web, (schema) => ai.jsonSchema(schema)),
        stopWhen: ai.stepCountIs(5),
      });
      await web.close();
      expect([text, read.length]).toEqual(['In 1742.', calls.length + 1]);
      return JSON.stringify(read);
    };
    const recorded = await play('record');
    await sim.stop();
    expect(recorded).toMatch(/<web-[0-9a-f]{16}>/);
    expect(recorded).toContain('has ground wheat since 1742');
    expect(await play('replay')).toBe(recorded);
  }, 120_000);
});
