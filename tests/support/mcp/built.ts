import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The program as users get it. `npm test` builds it first. */
export const MAIN = builtMain();

/** What every program needs: where programs are, and where the run keeps compiled code. */
export const BARE: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name] ?? '']),
);

/** An environment without the developer's own keys and files, pointed at the simulator. */
export const environment = (sim: string, more: Record<string, string> = {}): Record<string, string> => ({
  ...BARE,
  HEADGATE_HOME: mkdtempSync(join(tmpdir(), 'headgate-mcp-')),
  HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${sim}/duckduckgo`,
  HEADGATE_PROVIDERS__DUCKDUCKGO__ANSWER_BASE_URL: `${sim}/duckduckgo-answer`,
  HEADGATE_PROVIDERS__DUCKDUCKGO__PACE_MS: '0',
  HEADGATE_SEARCH__RETRY_BASE_MS: '1',
  ...more,
});

/** The same, with Tavily's simulator and leave to read the simulator's small web. */
export const fullEnvironment = (sim: string, key = 'tvly-works'): Record<string, string> =>
  environment(sim, {
    TAVILY_API_KEY: key,
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim}/tavily`,
    HEADGATE_GUARD__ALLOW: '127.0.0.1',
    HEADGATE_GUARD__PORTS: new URL(sim).port,
    HEADGATE_SEARCH__RETRIES: '0',
  });

/** Starts `headgate sim` on a free port and resolves to its address once it says where it is. */
export async function startBuiltSim(): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [MAIN, 'sim', '--port', '0'], { env: BARE, stdio: 'pipe' });
  for await (const line of createInterface(child.stdout)) {
    const url = /on (http:\/\/\S+):$/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      stop: async () => {
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  }
  throw new Error('headgate sim ended before it said where it listens.');
}

export interface Line {
  jsonrpc?: string;
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export interface BuiltServer {
  child: ChildProcessWithoutNullStreams;
  /** Every line that was written to stdout, as it came. */
  lines: string[];
  stderr(): string;
  notify(method: string, params?: Record<string, unknown>): void;
  request(method: string, params?: Record<string, unknown>): Promise<Line>;
  /** Sends a line as it is. */
  write(line: string): void;
  /** Resolves to what came for this id. */
  answerTo(id: unknown): Promise<Line>;
  /** Resolves to the exit code and how long it took from now. */
  ended(): Promise<{ code: number | null; ms: number }>;
}

/** Runs `headgate mcp` without any client library, to see every byte. */
export function startBuilt(args: string[], env: Record<string, string>): BuiltServer {
  const child = spawn(process.execPath, [MAIN, 'mcp', ...args], { env, stdio: 'pipe' });
  const lines: string[] = [];
  const waiting = new Map<unknown, (line: Line) => void>();
  let stderr = '';
  let nextId = 1;
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  createInterface(child.stdout).on('line', (text) => {
    lines.push(text);
    const line = JSON.parse(text) as Line;
    waiting.get(line.id)?.(line);
    waiting.delete(line.id);
  });
  const answerTo = (id: unknown) => new Promise<Line>((answered) => waiting.set(id, answered));
  const write = (line: string): void => void child.stdin.write(`${line}\n`);
  return {
    child,
    lines,
    stderr: () => stderr,
    write,
    answerTo,
    notify: (method, params = {}) => write(JSON.stringify({ jsonrpc: '2.0', method, params })),
    request: (method, params = {}) => {
      const id = nextId++;
      const answer = answerTo(id);
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return answer;
    },
    ended: async () => {
      const started = performance.now();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return { code: child.exitCode, ms: performance.now() - started };
    },
  };
}

function builtMain(): string {
  const main = resolve(import.meta.dirname, '../../../dist/main.cjs');
  if (!existsSync(main)) throw new Error('dist/ is missing: run `npm run build` before these tests.');
  return main;
}
