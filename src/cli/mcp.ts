import { setFlagsFromString } from 'node:v8';
import { gatewayFetch } from '../client/gateway-fetch.ts';
import { valueFlag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { asked, named, own } from '../core/own-text.ts';
import { CLIENT_IDS, clientConfigs } from '../mcp/client-configs.ts';
import { serveFront, type FrontTable } from '../mcp/front.ts';
import { launchCommand } from '../mcp/launch-command.ts';
import table from '../mcp/front-table.json' with { type: 'json' };
import type { Command, CommandContext } from './command.ts';

type Entry = (typeof table)[keyof typeof table];
const DEFAULT = 'default';
const KEY_VARIABLE = 'HEADGATE_API_KEY';

/** Serves a toolset over stdio. Only the front is loaded here; the first call loads the engine. */
export const command: Command = {
  usage: '[flags]',
  flags: [
    valueFlag('tools', Object.keys(table).join('|'), 'The toolset to serve.'),
    valueFlag('gateway', 'URL', `Serve the tools of this gateway; its key is in ${KEY_VARIABLE}.`),
    valueFlag(
      'print-config',
      CLIENT_IDS.join('|'),
      'Print the configuration for an MCP client instead of serving.',
    ),
  ],
  run: async (context) => {
    const { args } = context;
    const id = args.value('tools') ?? DEFAULT;
    const client = args.value('print-config');
    const entry = (table as Record<string, Entry>)[id];
    if (entry === undefined) {
      throw new HeadgateError('invalid_request', own`--tools: "${named(id)}" is not a toolset.`, {
        remediation: own`Use one of ${named(Object.keys(table).join(', '))}.`,
      });
    }
    if (client !== undefined) return printConfig(client, id, context);
    const gateway = args.value('gateway');
    const front = entry as FrontTable;
    await (gateway === undefined
      ? serveTools(id, front, context)
      : serveGateway(gatewayUrl(gateway, id), front, context));
    return 0;
  },
};

/** Serves this installation's own engine. */
async function serveTools(id: string, front: FrontTable, context: CommandContext): Promise<void> {
  let opening: ReturnType<CommandContext['open']> | undefined;
  const open = () => (opening ??= context.open());
  // Clients show stderr, so a configuration error is reported before the first call.
  const check = setTimeout(() => {
    open().catch((thrown: unknown) => context.say(`headgate: ${HeadgateError.from(thrown).explanation}\n`));
  }, CHECK_AFTER_MS);
  await serveFront({
    ...streamsOf(context),
    table: front,
    load: async (write, isAhead) => {
      if (isAhead) growYoungHeap(false);
      const [{ createPlainServer }, { createOffers, failedOffers }, tooling, { loadToolset }] =
        await Promise.all([
          import('../mcp/plain-server.ts'),
          import('../mcp/offers.ts'),
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
      const { tools, offers, asksPerson } = await open()
        .then(
          ({ services, store }) => ({
            tools: tooling.toAgentTools(toolset, services),
            offers: createOffers({ toolset, services, calls: store?.calls, surface: 'stdio' }),
            asksPerson: services.config.policy.fetch !== 'any',
          }),
          (thrown: unknown) => {
            const error = HeadgateError.from(thrown);
            return {
              tools: tooling.failedTools(toolset, error),
              offers: failedOffers(toolset, error),
              asksPerson: false,
            };
          },
        )
        .finally(() => growYoungHeap(true));
      return createPlainServer({
        tools,
        offers,
        asksPerson,
        write,
        loadFull: async () =>
          (await import('../mcp/stdio.ts')).createStdioServer(toolset, tools, write, offers),
      });
    },
  });
  clearTimeout(check);
}

/** Serves the tools of a gateway, with its keys, budgets and log. */
async function serveGateway(url: URL, table: FrontTable, context: CommandContext): Promise<void> {
  const { say } = context;
  await serveFront({
    ...streamsOf(context),
    table,
    isRemote: true,
    load: async (write) => {
      const { createGatewayServer } = await import('../mcp/gateway-server.ts');
      return createGatewayServer({ url, key: await keyOf(context), table, send: gatewayFetch, write, say });
    },
  });
}

/** The client's messages, until it or a signal ends them. */
function streamsOf({ stdin: open, signal, print }: CommandContext) {
  const input = open();
  signal.addEventListener('abort', () => void input.destroy(), { once: true });
  return { input, write: (line: string) => print(line) };
}

/** From the environment, else from the configuration, which takes longer to read. */
async function keyOf({ env, open }: CommandContext): Promise<string | undefined> {
  const given = env[KEY_VARIABLE]?.trim() ?? '';
  if (given !== '') return given;
  const opened = await open();
  await opened.close();
  return opened.config.mcp.gateway_key;
}

/** The MCP address of a gateway: the given one, or `/mcp` of the given host. */
function gatewayUrl(given: string, tools: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new HeadgateError('invalid_request', own`--gateway: "${asked(given)}" is not an http(s) address.`, {
      remediation: 'Such as `--gateway https://headgate.example.com`.',
    });
  if (url.username !== '' || url.password !== '')
    throw new HeadgateError('invalid_request', '--gateway: the address must not contain a key.', {
      remediation: own`Set ${named(KEY_VARIABLE)} instead.`,
    });
  if (url.pathname === '/') url.pathname = '/mcp';
  if (tools !== DEFAULT) url.searchParams.set('tools', tools);
  return url;
}

/** Answer the handshake of the client first. */
const CHECK_AFTER_MS = 50;

/**
 * Loading modules makes V8 grow the young part of its heap to 8 MB, and it stays that large while nothing happens. What is
 * loaded ahead of the first call may take longer instead; calls, and the threads that they start, need the room.
 */
const growYoungHeap = (mayGrow: boolean): void =>
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);

/** Prints the client configuration that starts this installation. Only the configuration goes to stdout. */
function printConfig(client: string, tools: string, context: CommandContext): number {
  const { command: program, args } = launchCommand(context.main, context.env['PATH']);
  const gateway = context.args.value('gateway');
  const flags = [
    ...(tools === DEFAULT ? [] : ['--tools', tools]),
    ...(gateway === undefined ? [] : ['--gateway', gateway]),
  ];
  const found = clientConfigs({
    command: program,
    args: [...args, 'mcp', ...flags],
    ...(gateway === undefined ? {} : { env: { [KEY_VARIABLE]: 'YOUR-KEY' } }),
  }).find(({ id }) => id === client);
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
