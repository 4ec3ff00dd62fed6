// Starts the simulated web, and a gateway if wanted, for the examples. Your own program does not need this.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bin of the package that the examples import. */
export const bin = fileURLToPath(new URL('dist/main.cjs', import.meta.resolve('headgate/package.json')));

export interface World {
  /** Where the simulated providers and pages are. */
  url: string;
  /** Points Headgate at them; in a real program this is `process.env`. */
  env: Record<string, string>;
  /** A folder that is removed in the end. */
  home: string;
  /** Starts a gateway on a free port and says where it is. */
  startGateway(settings?: Record<string, string>): Promise<string>;
  /** Starts a command that serves on an address, and returns the address. */
  start(args: string[], settings?: Record<string, string>): Promise<string>;
  /** Runs a command and returns what it prints. */
  run(...args: string[]): string;
  /** Ends the simulated web alone. */
  endWeb(): Promise<void>;
  end(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-example-'));
  const children: ChildProcess[] = [];
  const start = async (args: string[], env: Record<string, string>): Promise<string> => {
    const child = spawn(process.execPath, [bin, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return new Promise((resolve, reject) => {
      let said = '';
      const listen = (chunk: Buffer): void => {
        said += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('exit', () => reject(new Error(`\`headgate ${args.join(' ')}\` ended: ${said}`)));
    });
  };
  const url = await start(['sim', '--port', '0'], {});
  const env = {
    TAVILY_API_KEY: 'tvly-example',
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${url}/tavily`,
    HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${url}/duckduckgo`,
    // The simulated pages are on this machine and on a port of their own, which is otherwise out of bounds.
    HEADGATE_GUARD__ALLOW: '127.0.0.1',
    HEADGATE_GUARD__PORTS: new URL(url).port,
    HEADGATE_HOME: home,
    HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
  };
  const endAll = async (ending: ChildProcess[]): Promise<void> => {
    const running = ending.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill();
    await Promise.all(ended);
  };
  return {
    url,
    env,
    home,
    start: (args, settings = {}) => start(args, { ...env, ...settings }),
    startGateway: (settings = {}) => start(['serve'], { ...env, HEADGATE_SERVER__PORT: '0', ...settings }),
    run: (...args) =>
      execFileSync(process.execPath, [bin, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' }),
    endWeb: () => endAll(children.slice(0, 1)),
    end: async () => {
      // A gateway writes until it has ended, so the folder goes last.
      await endAll(children);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export interface ToolAnswer {
  isError?: boolean;
  content: { text: string }[];
}

/** One MCP request over HTTP, written out. An MCP client does this for you. */
export async function callTool(url: string, name: string, input: object, key?: string): Promise<ToolAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-06-18',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
  const text = await response.text();
  return (JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as { result: ToolAnswer }).result;
}
