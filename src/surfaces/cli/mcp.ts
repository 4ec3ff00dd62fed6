import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { CLIENT_IDS, clientConfigs } from '../mcp/client-configs.ts';
import { serveFront, type FrontTable } from '../mcp/front.ts';
import { launchCommand } from '../mcp/launch-command.ts';
import table from '../mcp/front-table.json' with { type: 'json' };
import type { Command, CommandContext } from './command.ts';

type Entry = (typeof table)[keyof typeof table];
const DEFAULT = 'default';

/** Serves a toolset over stdio. Only the front is loaded here: the engine comes with the first call. */
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
      description: 'Print what the configuration of a client needs, instead of serving.',
    },
  ],
  run: async (context) => {
    const { args, stdin, signal, print, say } = context;
    const id = args.value('tools') ?? DEFAULT;
    const client = args.value('print-config');
    const entry = (table as Record<string, Entry>)[id];
    if (entry === undefined) {
      throw new HeadgateError('invalid_request', own`--tools: "${named(id)}" is not a toolset.`, {
        remediation: own`Use one of ${named(Object.keys(table).join(', '))}.`,
      });
    }
    if (client !== undefined) return printConfig(client, id, context);
    const stop = (): void => void stdin.destroy();
    signal.addEventListener('abort', stop, { once: true });
    const engine = openOnce(context);
    // A client shows what goes to stderr; what is wrong with the configuration must not wait for the first call.
    const check = setTimeout(() => {
      engine.open().catch((thrown: unknown) => say(`headgate: ${HeadgateError.from(thrown).explanation}\n`));
    }, CHECK_AFTER_MS);
    await serveFront({
      input: stdin,
      write: (line) => print(line),
      table: entry as FrontTable,
      load: async (write) => {
        const [{ createStdioServer, failedTools }, { toAgentTools }, { toolsets }] = await Promise.all([
          import('../mcp/stdio.ts'),
          import('../mcp/agent-tools.ts'),
          import('../../tools/index.ts'),
        ]);
        const toolset = toolsets.find((one) => one.id === id);
        if (toolset === undefined)
          throw new HeadgateError(
            'internal',
            own`The toolset ${named(id)} is in the table but not in the list.`,
          );
        const tools = await engine.open().then(
          ({ services }) => toAgentTools(toolset, services),
          (thrown: unknown) => failedTools(toolset, HeadgateError.from(thrown)),
        );
        return createStdioServer(toolset, tools, write);
      },
    });
    clearTimeout(check);
    await engine.close();
    return 0;
  },
};

/** The client's opening is answered first. */
const CHECK_AFTER_MS = 50;

/** The engine, opened by whoever needs it first, and closed if it was. */
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

/** Prints what a client's configuration needs to start this installation. The configuration alone goes to stdout. */
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
