import { describeFlags, parseCommandLine, switchFlag, valueFlag, type Flag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { redact } from '../core/log.ts';
import { nearest } from '../core/nearest.ts';
import { asked, named, own } from '../core/own-text.ts';
import { VERSION } from '../core/version.ts';
import type { Command, CommandContext, CommandList, OpenedStore, OpenOptions, Shape } from './command.ts';
import { fileFailure } from './file-failure.ts';

const lazy = (summary: string, load: CommandList[string]['load']) => ({ summary, load });

/** Every command, loaded on demand to keep start-up fast. */
export const COMMANDS: CommandList = {
  mcp: lazy('Serve the tools to an MCP client over stdio.', () => import('./mcp.ts')),
  serve: lazy('Run the gateway: HTTP API, MCP and console.', () => import('./serve.ts')),
  console: lazy('Print a one-time link to set a password for the console.', () => import('./console.ts')),
  search: lazy('Search the web.', () => import('./search.ts')),
  extract: lazy('Read pages as clean Markdown or text.', () => import('./extract.ts')),
  crawl: lazy('Read a site: follow its links and print its pages.', () => import('./crawl.ts')),
  map: lazy('List the pages of a site.', () => import('./map.ts')),
  answer: lazy('Look up an abstract, a definition or a fact.', () => import('./answer.ts')),
  research: lazy('Research a question, with quotes and citations.', () => import('./research.ts')),
  providers: lazy('List every provider: set up or not, key, price, limits.', () => import('./providers.ts')),
  doctor: lazy('Check the setup and report what is missing.', () => import('./doctor.ts')),
  conform: lazy(
    'Check whether a server conforms to the API of Tavily or SearXNG.',
    () => import('./conform.ts'),
  ),
  config: lazy('Print the configuration and where each value comes from.', () => import('./config.ts')),
  workspace: lazy('Workspaces and their subscriptions.', () => import('./accounts/workspace.ts')),
  agent: lazy('Agents and their web tools.', () => import('./accounts/agent.ts')),
  person: lazy('People who may sign in to the console.', () => import('./accounts/person.ts')),
  key: lazy('API keys of workspaces.', () => import('./accounts/key.ts')),
  credits: lazy('The money of a workspace.', () => import('./accounts/credits.ts')),
  budget: lazy('Budgets of workspaces, agents, keys and people.', () => import('./accounts/budget.ts')),
  policy: lazy(
    'What workspaces and agents may read, and whom they may ask.',
    () => import('./accounts/policy.ts'),
  ),
  webhook: lazy('Where alerts are delivered.', () => import('./accounts/webhook.ts')),
  usage: lazy(
    'Priced calls by workspace, agent, key, provider or hour.',
    () => import('./accounts/usage.ts'),
  ),
  ledger: lazy('Ledger entries, each with the balance after it.', () => import('./accounts/ledger.ts')),
  calls: lazy('The log of calls, newest first.', () => import('./accounts/calls.ts')),
  store: lazy('Back up, restore, check and copy the database.', () => import('./accounts/store.ts')),
  library: lazy(
    'A local index over files, pages and the docs of installed packages.',
    () => import('./library.ts'),
  ),
  record: lazy('Run a program and record what it reads of the web.', () => import('./record.ts')),
  replay: lazy('Run a program against a recorded web, without a network.', () => import('./replay.ts')),
  snapshot: lazy('Look into, check, compare and import recorded webs.', () => import('./snapshot.ts')),
  eval: lazy('Ask questions whose answers are known, and measure what came.', () => import('./eval.ts')),
  bridge: lazy('Serve your own tools over MCP.', () => import('./bridge.ts')),
  sim: lazy('Run the simulated upstreams for tests and demonstrations.', () => import('./sim.ts')),
  completion: lazy('Print a completion script for a shell.', () => import('./completion.ts')),
};

/** Flags that every command has. */
const COMMON_FLAGS: readonly Flag[] = [
  switchFlag('json', 'Print the result, or the failure, as JSON.'),
  valueFlag('config', 'FILE', 'Use this configuration file.'),
  { name: 'help', short: 'h', takes: 'switch', description: 'Print this help.' },
];

type CommandWorld = Omit<CommandContext, 'args' | 'verb' | 'open' | 'commands' | 'printResult'> & {
  open(options?: OpenOptions & { file?: string }): ReturnType<CommandContext['open']>;
};

/** Runs one command and resolves to the exit status. A failure is reported on stderr, without internals. */
export async function runCli(argv: string[], world: CommandWorld): Promise<number> {
  const [first, ...others] = argv;
  if (
    first === undefined ||
    (first === 'help' && others.length === 0) ||
    first === '--help' ||
    first === '-h'
  ) {
    world.print(help());
    return first === undefined ? 2 : 0;
  }
  if (first === 'version' || first === '--version' || first === '-v') {
    world.print(`${VERSION}\n`);
    return 0;
  }
  const [name = '', ...args] = first === 'help' ? [...others, '--help'] : argv;
  try {
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) throw unknown('command', name, Object.keys(COMMANDS));
    const { command } = await entry.load();
    return await runCommand(name, command, args, world);
  } catch (thrown) {
    return fail(thrown, args, world);
  }
}

async function runCommand(
  name: string,
  command: Command,
  args: string[],
  world: CommandWorld,
): Promise<number> {
  const isHelp = flagsBefore(args).some((arg) => arg === '--help' || arg === '-h');
  const { verb, rest } = verbOf(command, args, isHelp);
  const shape = verb === undefined ? command : (command.verbs?.[verb] as Shape);
  if (isHelp) {
    world.print(helpOf(name, command, verb));
    return 0;
  }
  const parsed = parseCommandLine(rest, [...(shape.flags ?? []), ...COMMON_FLAGS], shape.words ?? 0);
  const file = parsed.value('config');
  const opened: Promise<OpenedStore>[] = [];
  try {
    return await command.run({
      ...world,
      args: parsed,
      verb: verb ?? '',
      commands: { list: COMMANDS, commonFlags: COMMON_FLAGS },
      printResult: (value, text) =>
        world.print(parsed.isOn('json') === true ? `${JSON.stringify(value, null, 2)}\n` : text()),
      open: (options) => {
        const opening = world.open({ ...(file === undefined ? {} : { file }), ...options }).then(closedOnce);
        opened.push(opening);
        return opening;
      },
    });
  } finally {
    for (const opening of opened) await (await opening.catch(() => undefined))?.close();
  }
}

/** An engine that a command may close early. */
function closedOnce(opened: OpenedStore): OpenedStore {
  let closing: Promise<void> | undefined;
  return { ...opened, close: () => (closing ??= opened.close()) };
}

/** The arguments before `--`; after it there are no flags. */
const flagsBefore = (args: string[]): string[] =>
  args.includes('--') ? args.slice(0, args.indexOf('--')) : args;

/** Splits off the verb, and returns the remaining arguments. */
function verbOf(
  { verbs, defaultVerb }: Command,
  args: string[],
  isHelp: boolean,
): { verb: string | undefined; rest: string[] } {
  if (verbs === undefined) return { verb: undefined, rest: args };
  const [first, ...rest] = args;
  const isWord = first !== undefined && !first.startsWith('-');
  if (isWord && Object.hasOwn(verbs, first)) return { verb: first, rest };
  if (isHelp) return { verb: undefined, rest: args };
  if (defaultVerb !== undefined && (!isWord || (verbs[defaultVerb]?.words ?? 0) > 0))
    return { verb: defaultVerb, rest: args };
  // Reports a mistyped flag as such.
  if (!isWord && first !== undefined) parseCommandLine(args, COMMON_FLAGS);
  throw unknown('verb', isWord ? first : '', Object.keys(verbs));
}

function unknown(kind: 'command' | 'verb', given: string, names: string[]): HeadgateError {
  const best = nearest(given, names);
  const hint = best === undefined ? '' : ` Did you mean ${best}?`;
  const message =
    kind === 'command'
      ? own`Unknown command "${asked(given)}".${named(hint)}`
      : given === ''
        ? own`A subcommand is missing.`
        : own`Unknown subcommand "${asked(given)}".${named(hint)}`;
  const remediation =
    kind === 'command'
      ? own`\`headgate help\` lists the commands.`
      : own`Use one of ${named(names.join(', '))}.`;
  return new HeadgateError('invalid_request', message, { remediation });
}

function fail(thrown: unknown, args: string[], world: CommandWorld): number {
  const error = fileFailure(thrown) ?? HeadgateError.from(thrown);
  const status = error.type === 'validation' && error.code !== 'invalid_config' ? 2 : 1;
  if (flagsBefore(args).includes('--json')) {
    const { code, type, message, remediation, retryable } = error;
    const failure = { error: { code, type, message, remediation, retryable }, exit_status: status };
    world.print(redact(`${JSON.stringify(failure, null, 2)}\n`));
    return status;
  }
  // Shows the cause of an internal failure, because a terminal has no log.
  const cause =
    error.type === 'internal' && error.cause instanceof Error ? `\n${error.cause.stack ?? ''}` : '';
  world.say(redact(`headgate: ${error.explanation}${cause}\n`));
  return status;
}

/** The help of a command, or of one of its verbs. */
export function helpOf(name: string, command: Command, verb: string | undefined): string {
  const { summary = '' } = COMMANDS[name] ?? {};
  const line = (words: string, { usage }: Shape): string => `  headgate ${name}${words} ${usage}`.trimEnd();
  if (verb === undefined && command.verbs !== undefined) {
    const lines = Object.entries(command.verbs).map(([each, shape]) => line(` ${each}`, shape));
    const more = `\`headgate help ${name} SUBCOMMAND\` lists its flags.`;
    return `${summary}\n\n${lines.join('\n')}\n\n${describeFlags(COMMON_FLAGS)}\n\n${more}\n`;
  }
  const shape = verb === undefined ? command : (command.verbs?.[verb] as Shape);
  const usage = line(verb === undefined ? '' : ` ${verb}`, shape);
  return `${summary}\n\n${usage}\n\n${describeFlags([...(shape.flags ?? []), ...COMMON_FLAGS])}\n`;
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return `Headgate ${VERSION}: the gate between AI agents and the web.

Usage: headgate COMMAND [flags]

${lines.join('\n')}

\`headgate help COMMAND\` shows the details. Exit status: 0 success, 1 failure, 2 usage error.
`;
}
