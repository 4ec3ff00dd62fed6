import { once } from 'node:events';
import { HeadgateError } from '../../core/errors.ts';
import { operations } from '../../operations/index.ts';
import { startHttp } from '../http/server.ts';
import type { Command } from './command.ts';

/** Runs the gateway until it is stopped. */
export const command: Command = {
  name: 'serve',
  usage: 'headgate serve',
  summary: 'Run the gateway.',
  run: async ({ say, signal, open }) => {
    const opened = await open({ isGateway: true });
    const { services, store } = opened;
    if (store === undefined) throw new HeadgateError('internal', 'A gateway has a store.');
    try {
      const http = await startHttp({ services, store, operations, origins: opened.origins });
      say(
        welcome(
          http.url,
          services.providers.map((ready) => ready.provider.title),
        ),
      );
      // Holds that a crashed gateway left behind are given back while this one runs.
      const sweeping = opened.meter?.sweepUntil(signal);
      if (!signal.aborted) await once(signal, 'abort');
      await http.close();
      await sweeping;
      return 0;
    } finally {
      await opened.close();
    }
  },
};

const welcome = (url: string, titles: string[]): string => `Headgate is ready on ${url}

  Search     curl ${url}/search -H 'content-type: application/json' -d '{"query":"rust programming"}'
  Tavily     point any Tavily client at ${url}
  MCP        put \`npx headgate mcp\` into your client's configuration
  Health     ${url}/healthz
  Providers  ${titles.join(', ')}

Ctrl-C stops it.
`;
