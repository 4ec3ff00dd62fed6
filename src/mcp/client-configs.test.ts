import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { CLIENT_IDS, clientConfigs, shellLine } from './client-configs.ts';

const local = { command: 'node', args: ['/opt/head gate/dist/main.cjs', 'mcp'] };
const remote = { url: 'http://127.0.0.1:8787/mcp', headers: { Authorization: 'Bearer hg_live_x' } };

describe('clientConfigs', () => {
  test.each([
    ['claude', { mcpServers: { headgate: local } }],
    ['cursor', { mcpServers: { headgate: local } }],
    ['vscode', { servers: { headgate: { type: 'stdio', ...local } } }],
    ['codex', { mcp_servers: { headgate: local } }],
    ['gemini', { mcpServers: { headgate: local } }],
    ['zed', { context_servers: { headgate: local } }],
  ])('%s starts the server as its own configuration says', (id, expected) => {
    expect(read(id, local)).toEqual(expected);
  });

  test.each([
    ['claude', { mcpServers: { headgate: { type: 'http', ...remote } } }],
    ['cursor', { mcpServers: { headgate: remote } }],
    ['vscode', { servers: { headgate: { type: 'http', ...remote } } }],
    ['codex', { mcp_servers: { headgate: { url: remote.url, http_headers: remote.headers } } }],
    ['gemini', { mcpServers: { headgate: { httpUrl: remote.url, headers: remote.headers } } }],
    ['zed', { context_servers: { headgate: remote } }],
  ])('%s reaches a gateway as its own configuration says', (id, expected) => {
    expect(read(id, remote)).toEqual(expected);
  });

  test('a variable that the program needs is in every configuration and command', () => {
    const configs = clientConfigs({ ...local, env: { HEADGATE_API_KEY: 'YOUR KEY' } });
    for (const { id, text } of configs) {
      const parsed = JSON.stringify(id === 'codex' ? parse(text) : JSON.parse(text));
      expect(parsed).toContain('"env":{"HEADGATE_API_KEY":"YOUR KEY"}');
    }
    const commands = configs.flatMap(({ command }) => (command === undefined ? [] : [command]));
    expect(commands).toHaveLength(2);
    for (const command of commands)
      expect(command).toMatch(/ (-e|--env) 'HEADGATE_API_KEY=YOUR KEY' -- node /);
  });

  test('every client is one of the two lists above', () => {
    expect(CLIENT_IDS).toEqual(['claude', 'cursor', 'vscode', 'codex', 'gemini', 'zed']);
  });

  test('shell commands quote what a shell would split', () => {
    expect(shellLine(local)).toBe("node '/opt/head gate/dist/main.cjs' mcp");
    const [claude] = clientConfigs(local);
    expect(claude?.command).toBe("claude mcp add headgate -- node '/opt/head gate/dist/main.cjs' mcp");
  });
});

function read(id: string, server: typeof local | typeof remote): unknown {
  const text = clientConfigs(server).find((config) => config.id === id)?.text ?? '';
  return id === 'codex' ? parse(text) : JSON.parse(text);
}
