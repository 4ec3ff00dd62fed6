import { parseArgs } from 'node:util';
import { once } from 'node:events';
import { simUpstreams } from '../../sim/index.ts';
import { startSim } from '../../sim/server.ts';
import type { Command } from './command.ts';

/** Runs the simulated upstreams until it is stopped. */
export const command: Command = {
  name: 'sim',
  usage: 'headgate sim [--port 8899]',
  summary: 'Run the simulated upstreams for tests and demonstrations.',
  run: async ({ args, print, signal }) => {
    const { values } = parseArgs({ args, options: { port: { type: 'string', default: '8899' } } });
    const sim = await startSim({ upstreams: simUpstreams, port: Number(values.port) });
    const ids = [...new Set(simUpstreams.map((upstream) => upstream.id))];
    const lines = ids.map((id) => `  ${id.padEnd(20)}${sim.url}/${id}`);
    print(
      `Simulated upstreams on ${sim.url}:\n${lines.join('\n')}\n\nFor example:\n  HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL=${sim.url}/duckduckgo headgate search "rust programming"\n`,
    );
    if (!signal.aborted) await once(signal, 'abort');
    await sim.close();
    return 0;
  },
};
