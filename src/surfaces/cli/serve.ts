import { once } from 'node:events';
import { startHttp } from '../http/server.ts';
import type { Command } from './command.ts';

/** Runs the gateway until it is stopped. */
export const command: Command = {
  name: 'serve',
  usage: 'headgate serve',
  summary: 'Run the gateway.',
  run: async ({ say, signal, open }) => {
    const opened = await open();
    const http = await startHttp(opened.services);
    say(
      `Headgate is ready on ${http.url}\n\n  Health     ${http.url}/healthz\n  MCP        put \`npx headgate mcp --tools websearch\` into your client's configuration\n  Search     headgate search "rust programming"\n  Check      headgate doctor\n\nCtrl-C stops it.\n`,
    );
    if (!signal.aborted) await once(signal, 'abort');
    await http.close();
    await opened.close();
    return 0;
  },
};
