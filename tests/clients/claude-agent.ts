import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startScriptedMessages, type Turn } from './scripted-messages.ts';

type Query = (request: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<unknown>;

export interface ClaudeAgent {
  /** Runs one query to its end and gives what the model was sent in each turn. */
  ask(prompt: string, mcpServers: unknown, allowedTools?: string[]): Promise<Turn[]>;
  /** The same with another stand-in for the Messages API, which keeps its own record. */
  askAt(api: string, prompt: string, mcpServers: unknown, allowedTools?: string[]): Promise<void>;
  close(): Promise<void>;
}

/** The real Claude Agent SDK and its command line, driven without a network by a scripted Messages API. */
export async function startClaudeAgent(folder: string): Promise<ClaudeAgent> {
  const api = await startScriptedMessages();
  const home = mkdtempSync(join(tmpdir(), 'headgate-claude-'));
  const file = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
  const { query } = (await import(pathToFileURL(file).href)) as { query: Query };
  const askAt: ClaudeAgent['askAt'] = async (url, prompt, mcpServers, allowedTools) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: url,
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
    for await (const message of query({ prompt, options })) void message;
  };
  return {
    askAt,
    ask: async (prompt, mcpServers, allowedTools) => {
      await askAt(api.url, prompt, mcpServers, allowedTools);
      return api.turns.filter((turn) => turn.prompt === prompt);
    },
    close: async () => {
      await api.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
