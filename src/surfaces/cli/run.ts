import { HeadgateError } from '../../core/errors.ts';
import { asked, named, own } from '../../core/own-text.ts';
import { redact } from '../../core/log.ts';
import { VERSION } from '../../core/version.ts';
import type { Command, CommandContext } from './command.ts';
import { fileFailure } from './file-failure.ts';

/** Every command, loaded only when it is called, so that starting one does not pay for the others. */
const COMMANDS: Record<string, { summary: string; load(): Promise<{ command: Command }> }> = {
  mcp: { summary: 'serve the tools to an MCP client over stdio', load: () => import('./mcp.ts') },
  serve: { summary: 'run the gateway: HTTP API, MCP and console', load: () => import('./serve.ts') },
  console: {
    summary: 'print a one-time link to set the console’s password',
    load: () => import('./console.ts'),
  },
  search: { summary: 'search the web', load: () => import('./search.ts') },
  extract: { summary: 'read pages as clean Markdown or text', load: () => import('./extract.ts') },
  crawl: { summary: 'read a site', load: () => import('./crawl.ts') },
  map: { summary: 'list the pages of a site', load: () => import('./map.ts') },
  answer: { summary: 'look one thing up', load: () => import('./answer.ts') },
  research: {
    summary: 'research a question, with quotes and citations',
    load: () => import('./research.ts'),
  },
  doctor: { summary: 'check the set-up and say what is missing', load: () => import('./doctor.ts') },
  config: {
    summary: 'print the configuration and where each value comes from',
    load: () => import('./config.ts'),
  },
  workspace: { summary: 'workspaces and their subscriptions', load: () => import('./accounts/workspace.ts') },
  agent: { summary: 'agents and the web tools they have', load: () => import('./accounts/agent.ts') },
  key: { summary: 'API keys of workspaces', load: () => import('./accounts/key.ts') },
  credits: { summary: 'the money of a workspace', load: () => import('./accounts/credits.ts') },
  usage: {
    summary: 'priced calls by workspace, agent, key, provider or hour',
    load: () => import('./accounts/usage.ts'),
  },
  ledger: { summary: 'every booking, with the balance after it', load: () => import('./accounts/ledger.ts') },
  store: { summary: 'back up and check the database', load: () => import('./accounts/store.ts') },
  library: {
    summary: 'a local index over files, pages and installed docs',
    load: () => import('./library.ts'),
  },
  bridge: { summary: 'serve your own tools over MCP', load: () => import('./bridge.ts') },
  sim: {
    summary: 'run the simulated upstreams for tests and demonstrations',
    load: () => import('./sim.ts'),
  },
};

/** Runs one command and resolves to the exit code. A failure is told on stderr, without internals. */
export async function runCli(argv: string[], context: Omit<CommandContext, 'args'>): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    context.print(help());
    return name === undefined ? 2 : 0;
  }
  if (name === 'version' || name === '--version' || name === '-v') {
    context.print(`${VERSION}\n`);
    return 0;
  }
  const entry = COMMANDS[name];
  if (entry === undefined) {
    context.say(`headgate: "${name}" is not a command.\n\n${help()}`);
    return 2;
  }
  let usage = `headgate ${name}`;
  try {
    const { command } = await entry.load();
    ({ usage } = command);
    return await command.run({ ...context, args });
  } catch (thrown) {
    const error = fileFailure(thrown) ?? usageFailure(thrown, usage) ?? HeadgateError.from(thrown);
    // The cause of an internal failure would otherwise be lost: on a terminal there is no log to look into.
    const cause =
      error.type === 'internal' && error.cause instanceof Error ? `\n${error.cause.stack ?? ''}` : '';
    context.say(redact(`headgate: ${error.explanation}${cause}\n`));
    return error.type === 'validation' && error.code !== 'invalid_config' ? 2 : 1;
  }
}

/** Flags that a command does not know, as Node names them. */
function usageFailure(thrown: unknown, usage: string): HeadgateError | undefined {
  const { code, message } = thrown as { code?: unknown; message?: string };
  if (typeof code !== 'string' || !code.startsWith('ERR_PARSE_ARGS') || message === undefined)
    return undefined;
  return new HeadgateError('invalid_request', asked(message), { remediation: own`Usage: ${named(usage)}` });
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`);
  return `Headgate ${VERSION}: the gate between AI agents and the web.\n\nUsage: headgate <command> [flags]\n\n${lines.join('\n')}\n\nheadgate <command> --help tells more.\n`;
}
