import { parseArgs } from 'node:util';
import { HeadgateError } from '../../core/errors.ts';
import { serveFront, type FrontTable } from '../mcp/front.ts';
import table from '../mcp/front-table.json' with { type: 'json' };
import type { Command } from './command.ts';

type Entry = (typeof table)[keyof typeof table];
const DEFAULT = 'default';

/** Serves a toolset over stdio. Only the front is loaded here: the engine comes with the first call. */
export const command: Command = {
  name: 'mcp',
  usage: `headgate mcp [--tools ${Object.keys(table).join('|')}]`,
  summary: 'Serve the tools to an MCP client over stdio.',
  run: async ({ args, stdin, signal, open, print }) => {
    const id = toolsetOf(args);
    const entry = (table as Record<string, Entry>)[id];
    if (entry === undefined) {
      throw new HeadgateError('invalid_request', `--tools: "${id}" is not a toolset.`, {
        remediation: `Use one of ${Object.keys(table).join(', ')}.`,
      });
    }
    const stop = (): void => void stdin.destroy();
    signal.addEventListener('abort', stop, { once: true });
    await serveFront({
      input: stdin,
      write: (line) => print(line),
      table: entry as FrontTable,
      load: async (write) => {
        const [{ createStdioServer }, { toolsets }, opened] = await Promise.all([
          import('../mcp/stdio.ts'),
          import('../../tools/index.ts'),
          open(),
        ]);
        const toolset = toolsets.find((one) => one.id === id);
        if (toolset === undefined)
          throw new HeadgateError('internal', `The toolset ${id} is in the table but not in the list.`);
        const server = createStdioServer(toolset, opened.services, write);
        return { deliver: server.deliver, close: () => server.close().finally(() => opened.close()) };
      },
    });
    return 0;
  },
};

function toolsetOf(args: string[]): string {
  try {
    return parseArgs({ args, options: { tools: { type: 'string' } } }).values.tools ?? DEFAULT;
  } catch (thrown) {
    throw new HeadgateError('invalid_request', thrown instanceof Error ? thrown.message : String(thrown), {
      remediation: `Usage: ${command.usage}`,
    });
  }
}
