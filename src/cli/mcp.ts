import { setFlagsFromString } from 'node:v8';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { CLIENT_IDS, clientConfigs } from '../mcp/client-configs.ts';
import { serveFront, type FrontTable } from '../mcp/front.ts';
import { launchCommand } from '../mcp/launch-command.ts';
import table from '../mcp/front-table.json' with { type: 'json' };
import type { Command, CommandContext } from './command.ts';

type Entry = (typeof table)[keyof typeof table];
const DEFAULT = 'default';

/** Serves a toolset over stdio. Only the front is loaded here; the first call loads the engine. */
export const command: Command = {
  usage: '[flags]',
  flags: [
    {
      name: 'tools',
      takes: 'value',
      shows: Object.keys(table).join('|'),
      description: 'The toolset to serve.',
    },
    {
      name: 'print-config',
      takes: 'value',
      shows: CLIENT_IDS.join('|'),
      description: 'Print the configuration for an MCP client instead of serving.',
    },
  ],
  run: async (context) => {
    const { args, signal, print, say } = context;
    const id = args.value('tools') ?? DEFAULT;
    const client = args.value('print-config');
    const entry = (table as Record<string, Entry>)[id];
    if (entry === undefined) {
      throw new HeadgateError('invalid_request', own`--tools: "${named(id)}" is not a toolset.`, {
        remediation: own`Use one of ${named(Object.keys(table).join(', '))}.`,
      });
    }
    if (client !== undefined) return printConfig(client, id, context);
    const stdin = context.stdin();
    const stop = (): void => void stdin.destroy();
    signal.addEventListener('abort', stop, { once: true });
    const engine = openOnce(context);
    // Clients show stderr, so a configuration error is reported before the first call.
    const check = setTimeout(() => {
      engine.open().catch((thrown: unknown) => say(`headgate: ${HeadgateError.from(thrown).explanation}\n`));
    }, CHECK_AFTER_MS);
    await serveFront({
      input: stdin,
      write: (line) => print(line),
      table: entry as FrontTable,
      load: async (write, isAhead) => {
        if (isAhead) growYoungHeap(false);
        const [{ createPlainServer }, { failedTools, toAgentTools }, { loadToolset }] = await Promise.all([
          import('../mcp/plain-server.ts'),
          import('../mcp/agent-tools.ts'),
          import('../toolsets/load-toolset.ts'),
          // Most first calls are searches, so that one does not wait for it.
          import('../operations/search/search.ts'),
        ]);
        const toolset = await loadToolset[id]?.();
        if (toolset === undefined)
          throw new HeadgateError(
            'internal',
            own`The toolset ${named(id)} is in the table but not in the list.`,
          );
        const tools = await engine
          .open()
          .then(
            ({ services }) => toAgentTools(toolset, services),
            (thrown: unknown) => failedTools(toolset, HeadgateError.from(thrown)),
          )
          .finally(() => growYoungHeap(true));
        return createPlainServer({
          tools,
          write,
          loadFull: async () => (await import('../mcp/stdio.ts')).createStdioServer(toolset, tools, write),
        });
      },
    });
    clearTimeout(check);
    await engine.close();
    return 0;
  },
};

/** Answer the handshake of the client first. */
const CHECK_AFTER_MS = 50;

/**
 * Loading modules makes V8 grow the young part of its heap to 8 MB, and it stays that large while nothing happens. What is
 * loaded ahead of the first call may take longer instead; calls, and the threads that they start, need the room.
 */
const growYoungHeap = (mayGrow: boolean): void =>
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);

/** Opens the engine on first use, and closes it if it was opened. */
function openOnce({ open }: CommandContext) {
  let opening: ReturnType<CommandContext['open']> | undefined;
  return {
    open: () => (opening ??= open()),
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Prints the client configuration that starts this installation. Only the configuration goes to stdout. */
function printConfig(client: string, tools: string, context: CommandContext): number {
  const { command: program, args } = launchCommand(context.main, context.env['PATH']);
  const flags = tools === DEFAULT ? [] : ['--tools', tools];
  const found = clientConfigs({ command: program, args: [...args, 'mcp', ...flags] }).find(
    ({ id }) => id === client,
  );
  if (found === undefined) {
    throw new HeadgateError('invalid_request', own`--print-config: "${named(client)}" is not a client.`, {
      remediation: own`Use one of ${named(CLIENT_IDS.join(', '))}.`,
    });
  }
  context.print(`${found.text}\n`);
  const instead = found.command === undefined ? '' : ` Or run: ${found.command}`;
  context.say(`Add this to ${found.file}.${instead}\n`);
  return 0;
}
