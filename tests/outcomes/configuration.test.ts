import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createEngine, readConfig } from '../../src/engine/engine.ts';
import { runCli } from '../../src/cli/run.ts';
import { toolsets } from '../../src/toolsets/index.ts';

/** Runs `headgate mcp` in this process; `answers` are the JSON-RPC messages that came back. */
function startMcp(toolset: string, env: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'mcp-'));
  const stdin = new PassThrough();
  const waiting = new Map<number, (message: Answer) => void>();
  let err = '';
  let heard: () => void = () => undefined;
  const said = new Promise<void>((resolve) => (heard = resolve));
  const code = runCli(['mcp', '--tools', toolset], {
    env,
    main: '',
    stdin: () => stdin as unknown as NodeJS.ReadStream,
    print: (text) => {
      const message = JSON.parse(text) as Answer;
      waiting.get(message.id)?.(message);
    },
    say: (text) => {
      err += text;
      heard();
    },
    isTerminal: false,
    signal: new AbortController().signal,
    open: async () => {
      const loaded = readConfig(env, home);
      return { ...loaded, home, ...createEngine(loaded.config, { home }) };
    },
  });
  let id = 0;
  return {
    /** Resolves when something was written to stderr. */
    said,
    err: () => err,
    request: (method: string, params: Record<string, unknown>) => {
      id += 1;
      const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return answer;
    },
    end: () => {
      stdin.end();
      return code;
    },
  };
}

interface Answer {
  id: number;
  result?: { content?: { text: string }[]; isError?: boolean; tools?: unknown[] };
  error?: unknown;
}

const BAD = { HEADGATE_SEARCH__RETRIES: '99' };

/** One call of every toolset that would need the engine. */
const CALLS: Record<string, [tool: string, input: Record<string, unknown>]> = {
  default: ['web_search', { query: 'tides' }],
  websearch: ['web_search', { query: 'tides' }],
  'tavily-ja': ['tavily_search', { query: '潮汐' }],
  agent: ['search_web', { query: 'tides' }],
  research: ['research', { action: 'search', query: 'tides' }],
  tavily: ['tavily_search', { query: 'tides' }],
  chatgpt: ['search', { query: 'tides' }],
};

describe.each(toolsets.map(({ id }) => id))('a bad configuration, served as %s', (id) => {
  test('is said on stderr at the start and in the envelope of the first answer', async () => {
    const mcp = startMcp(id, BAD);
    await mcp.said;
    expect(mcp.err()).toMatch(/configuration has a mistake[\s\S]*search\.retries/);
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    await mcp.request('initialize', hello);
    expect((await mcp.request('tools/list', {})).result?.tools).not.toHaveLength(0);
    const [name, input] = CALLS[id] ?? ['', {}];
    const { result, error } = await mcp.request('tools/call', { name, arguments: input });
    expect(error).toBeUndefined();
    expect(result?.isError).toBe(true);
    expect(result?.content?.[0]?.text).toMatch(/search\.retries/);
    expect(await mcp.end()).toBe(0);
  });
});
