import { type Readable, Writable } from 'node:stream';
import {
  parseCommandLine,
  PORTS,
  switchFlag,
  valueFlag,
  valuesFlag,
  wholeNumber,
  type Args,
  type Flag,
} from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { named, own } from '../core/own-text.ts';
import { silentLogger, type Logger } from '../core/log.ts';
import type { CallHooks } from './call.ts';
import { inspectTools, type Inspection } from './inspect.ts';
import { DEFAULT_SERVER_NAME, DEFAULT_SERVER_VERSION, serverOf } from './mcp/mcp-server.ts';
import { loadTools, onlyTools } from './module-tools.ts';
import { serveHttp } from './mcp/serve-http.ts';
import { serveStdio } from './mcp/serve-stdio.ts';
import { extractToolsFromToolsets } from './toolset.ts';

/** Everything that the command needs from outside. */
export interface BridgeEnvironment extends CallHooks {
  cwd: string;
  input: Readable;
  output: Writable;
  /** Prints for people; stdout belongs to the protocol. */
  print(line: string): void;
  /** Ends the server. */
  signal: AbortSignal;
  /**
   * For HTTP: the token that callers must send. This or `authenticate` is required to listen beyond this
   * machine.
   */
  token?: string;
  /** For HTTP: identifies the caller by the key in the request. */
  authenticate?: (request: Request, address: string) => Promise<unknown>;
  logger?: Logger;
}

/** The flags of `headgate bridge`. */
export const BRIDGE_FLAGS: readonly Flag[] = [
  switchFlag('stdio', 'Serve over standard input and output (the default).'),
  switchFlag('http', 'Serve over HTTP.'),
  valueFlag('port', 'N', 'The port for --http; by default a free one.'),
  valueFlag('host', 'ADDRESS', 'The address for --http (127.0.0.1).'),
  valuesFlag('allow-host', 'NAME', 'A name under which the HTTP server may be reached; may be repeated.'),
  valuesFlag('allow-origin', 'NAME', 'A host whose pages may call the HTTP server; may be repeated.'),
  valueFlag('export', 'NAME', 'The export that holds the tools (tools, else the default export).'),
  valuesFlag('tool', 'NAME', 'Serve only this tool; may be repeated.'),
  valueFlag('timeout', 'SECONDS', 'The time limit of a tool call; by default none.'),
  valueFlag('name', 'NAME', `The name of the server (${DEFAULT_SERVER_NAME}).`),
  valueFlag('version', 'VERSION', `The version of the server (${DEFAULT_SERVER_VERSION}).`),
];

/** `headgate bridge ./my-tools.ts`: serves until the client or the signal ends it. */
export async function runBridgeCommand(
  given: readonly string[] | Args,
  environment: BridgeEnvironment,
): Promise<void> {
  const { module, args } = readArgs(given);
  const [exportName, only, timeout] = [args.value('export'), args.values('tool'), args.value('timeout')];
  const [host, hosts, origins] = [args.value('host'), args.values('allow-host'), args.values('allow-origin')];
  const { logger = silentLogger, signal } = environment;
  const source = await loadTools(module, {
    cwd: environment.cwd,
    ...(exportName !== undefined && { exportName }),
  });
  const all = await extractToolsFromToolsets(source);
  const tools = only === undefined ? all : onlyTools(all, only);
  if (tools.length === 0) throw new HeadgateError('invalid_config', own`${named(module)} holds no tools.`);
  const server = serverOf(tools, {
    serverName: args.value('name') ?? DEFAULT_SERVER_NAME,
    serverVersion: args.value('version') ?? DEFAULT_SERVER_VERSION,
    logger,
    ...(timeout !== undefined && { timeoutMs: timeoutOf(timeout) }),
    ...(environment.beforeCall !== undefined && { beforeCall: (call) => environment.beforeCall?.(call) }),
    ...(environment.afterCall !== undefined && {
      afterCall: (call, result) => environment.afterCall?.(call, result),
    }),
  });
  if (args.isOn('http') !== true) {
    const serving = serveStdio(server, { input: environment.input, output: environment.output, logger });
    await Promise.race([serving.closed, aborted(signal)]);
    return serving.close();
  }
  const serving = await serveHttp(server, {
    logger,
    ...(host !== undefined && { host }),
    port: wholeNumber(args, 'port', PORTS) ?? 0,
    ...(hosts !== undefined && { allowedHosts: hosts }),
    ...(origins !== undefined && { allowedOrigins: origins }),
    ...(environment.token !== undefined && { token: environment.token }),
    ...(environment.authenticate !== undefined && { authenticate: environment.authenticate }),
  });
  environment.print(`Serving ${tools.map(({ name }) => name).join(', ')} at ${serving.url}`);
  await aborted(signal);
  return serving.close();
}

/** Looks at the tools instead of serving them. What they print while they are loaded goes to stderr. */
export async function inspectModule(given: Args, environment: { logger: Logger }): Promise<Inspection> {
  const { module, args } = readArgs(given);
  const [exportName, only] = [args.value('export'), args.values('tool')];
  const guard = guardProcess(environment.logger);
  try {
    const options = { cwd: process.cwd(), ...(exportName !== undefined && { exportName }) };
    const inspection = await inTime(loadTools(module, options)).then((source) =>
      inspectTools(source, args.value('name') ?? DEFAULT_SERVER_NAME),
    );
    return {
      ...inspection,
      tools: only === undefined ? inspection.tools : onlyTools(inspection.tools, only),
    };
  } finally {
    guard.release();
  }
}

/** A module that never finishes loading ends with the process; nothing can stop it before. */
function inTime<Value>(work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new HeadgateError('invalid_config', 'The module takes too long to load.'));
    const timer = setTimeout(late, LIMITS.bridgeLoadMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Runs the command in its own process: the streams belong to the protocol, and tools cannot break it. */
export async function runBridgeProcess(
  args: readonly string[] | Args,
  environment: Pick<BridgeEnvironment, 'signal' | 'token' | 'authenticate' | 'beforeCall' | 'afterCall'> & {
    logger: Logger;
  },
): Promise<void> {
  const guard = guardProcess(environment.logger);
  try {
    await runBridgeCommand(args, {
      ...environment,
      cwd: process.cwd(),
      input: process.stdin,
      output: guard.output,
      print: (line) => void process.stderr.write(`${line}\n`),
    });
  } finally {
    guard.release();
  }
}

/** The command line of the bridge, or what another parser already made of it. */
function readArgs(given: readonly string[] | Args): { module: string; args: Args } {
  const args = 'words' in given ? given : parseCommandLine(given, BRIDGE_FLAGS);
  const [module, ...others] = args.words;
  if (module === undefined || others.length > 0)
    throw new HeadgateError('invalid_request', 'Give exactly one module.', {
      remediation: 'Such as `headgate bridge ./tools.ts`.',
    });
  if (args.isOn('stdio') === true && args.isOn('http') === true)
    throw new HeadgateError('invalid_request', 'Choose --stdio or --http, not both.');
  return { module, args };
}

function timeoutOf(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw new HeadgateError(
    'invalid_request',
    own`--timeout: '${named(text)}' is not a time. Give seconds, at most a day.`,
  );
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Protects the process from the tools it serves: their output goes to stderr, because stdout belongs to the
 * protocol, and errors in the background are logged instead of ending the server. Returns the real stdout,
 * and a function that undoes this.
 */
function guardProcess(logger: Logger): { output: Writable; release(): void } {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) => void write(chunk, encoding, (error) => done(error)),
  });
  stdout.write = stderr.write.bind(stderr);
  const onRejection = (error: unknown) => logger.error('tool_rejection_in_background', { error });
  const onException = (error: unknown) => logger.error('tool_exception_in_background', { error });
  const onBrokenPipe = (error: Error) => output.destroy(error);
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  stdout.on('error', onBrokenPipe);
  return {
    output,
    release() {
      stdout.write = write;
      process.off('unhandledRejection', onRejection);
      process.off('uncaughtException', onException);
      stdout.off('error', onBrokenPipe);
    },
  };
}
