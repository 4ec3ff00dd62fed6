import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import type { CallHooks } from './call.ts';
import { DEFAULT_SERVER_NAME, DEFAULT_SERVER_VERSION, serverOf } from './mcp/mcp-server.ts';
import { loadTools, onlyTools } from './module-tools.ts';
import { guardProcess } from './process-guard.ts';
import { serveHttp } from './mcp/serve-http.ts';
import { serveStdio } from './mcp/serve-stdio.ts';
import { extractToolsFromToolsets } from './toolset.ts';

/** Everything that the command touches outside itself. */
export interface BridgeWorld extends CallHooks {
  cwd: string;
  input: Readable;
  output: Writable;
  /** For people; the protocol has the output to itself. */
  print(line: string): void;
  /** Ends the serving. */
  signal: AbortSignal;
  /** For HTTP: what callers must carry. This or `authenticate` is required to listen beyond this machine. */
  token?: string;
  /** For HTTP: who asks, by the key they show. */
  authenticate?: (request: Request, address: string) => Promise<unknown>;
  logger?: Logger;
}

export const BRIDGE_USAGE = `headgate bridge <module> [options]   serves the tools that a module exports, over MCP

  --stdio              over standard input and output (the default)
  --http               over HTTP
  --port <n>           the port for --http; a free one unless given
  --host <address>     the address for --http (127.0.0.1)
  --allow-host <name>  a name under which the HTTP server may be reached; may be repeated
  --allow-origin <name>  a host whose pages may call the HTTP server; may be repeated
  --export <name>      the export that holds the tools (tools, else the default export)
  --tool <name>        serve only this tool; may be repeated
  --timeout <seconds>  how long a tool may take; as long as the client waits unless given
  --name <name>        the server's name (${DEFAULT_SERVER_NAME})
  --version <version>  the server's version (${DEFAULT_SERVER_VERSION})
`;

/** `headgate bridge ./my-tools.ts`: serves until the client or the signal ends it. */
export async function runBridgeCommand(args: readonly string[], world: BridgeWorld): Promise<void> {
  const { module, values } = parse(args);
  const { logger = silentLogger, signal } = world;
  const source = await loadTools(module, {
    cwd: world.cwd,
    ...(values.export !== undefined && { exportName: values.export }),
  });
  const all = await extractToolsFromToolsets(source);
  const tools = values.tool === undefined ? all : onlyTools(all, values.tool);
  if (tools.length === 0) throw new HeadgateError('invalid_config', own`${named(module)} holds no tools.`);
  const server = serverOf(tools, {
    serverName: values.name ?? DEFAULT_SERVER_NAME,
    serverVersion: values.version ?? DEFAULT_SERVER_VERSION,
    logger,
    ...(values.timeout !== undefined && { timeoutMs: timeoutOf(values.timeout) }),
    ...(world.beforeCall !== undefined && { beforeCall: (call) => world.beforeCall?.(call) }),
    ...(world.afterCall !== undefined && { afterCall: (call, result) => world.afterCall?.(call, result) }),
  });
  if (values.http !== true) {
    const serving = serveStdio(server, { input: world.input, output: world.output, logger });
    await Promise.race([serving.closed, aborted(signal)]);
    return serving.close();
  }
  const serving = await serveHttp(server, {
    logger,
    ...(values.host !== undefined && { host: values.host }),
    port: portOf(values.port),
    ...(values['allow-host'] !== undefined && { allowedHosts: values['allow-host'] }),
    ...(values['allow-origin'] !== undefined && { allowedOrigins: values['allow-origin'] }),
    ...(world.token !== undefined && { token: world.token }),
    ...(world.authenticate !== undefined && { authenticate: world.authenticate }),
  });
  world.print(`Serving ${tools.map(({ name }) => name).join(', ')} at ${serving.url}`);
  await aborted(signal);
  return serving.close();
}

/** The command for a process of its own: its streams are the protocol's, and the tools are kept from breaking it. */
export async function runBridgeProcess(
  args: readonly string[],
  world: Pick<BridgeWorld, 'signal' | 'token' | 'authenticate' | 'beforeCall' | 'afterCall'> & {
    logger: Logger;
  },
): Promise<void> {
  const guard = guardProcess(world.logger);
  try {
    await runBridgeCommand(args, {
      ...world,
      cwd: process.cwd(),
      input: process.stdin,
      output: guard.output,
      print: (line) => void process.stderr.write(`${line}\n`),
    });
  } finally {
    guard.release();
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const list = { type: 'string', multiple: true } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        stdio: { type: 'boolean' },
        http: { type: 'boolean' },
        port: text,
        host: text,
        'allow-host': list,
        'allow-origin': list,
        export: text,
        tool: list,
        timeout: text,
        name: text,
        version: text,
      },
    });
    const [module, ...others] = positionals;
    if (module === undefined || others.length > 0) throw new Error('Give exactly one module.');
    if (values.stdio === true && values.http === true) throw new Error('Choose --stdio or --http, not both.');
    return { module, values };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HeadgateError('invalid_request', own`${named(reason)}\n\n${named(BRIDGE_USAGE)}`, { cause });
  }
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new HeadgateError(
    'invalid_request',
    own`--port: '${named(text ?? '')}' is no port. Give a number from 0 to 65535.`,
  );
}

function timeoutOf(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw new HeadgateError(
    'invalid_request',
    own`--timeout: '${named(text)}' is no time. Give seconds, at most a day.`,
  );
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
