import { once } from 'node:events';
import { simUpstreams } from '../sim/index.ts';
import { startSim } from '../sim/server.ts';
import { PORTS, valueFlag, wholeNumber } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import type { Command } from './command.ts';

/** Runs the simulated upstreams until it is stopped. */
export const command: Command = {
  usage: '[flags]',
  flags: [valueFlag('port', 'N', 'The port to listen on (8899); 0 picks a free one.')],
  run: async ({ args, print, signal }) => {
    const port = wholeNumber(args, 'port', PORTS) ?? 8_899;
    const sim = await startSim({ upstreams: simUpstreams, port }).catch((cause: unknown) => {
      throw unusable(port, cause);
    });
    const research = `  TAVILY_API_KEY=any HEADGATE_PROVIDERS__TAVILY__BASE_URL=${sim.url}/topics HEADGATE_SEARCH__PROVIDER=tavily HEADGATE_EXTRACT__PROVIDER=tavily \\\n    headgate research "When was the headgate of the Aldana canal built?"`;
    const model = `  HEADGATE_MODEL__PROVIDER=openai HEADGATE_MODEL__MODEL=sim HEADGATE_MODEL__BASE_URL=${sim.url}/model/v1`;
    const lines = simUpstreams.map(({ id }) => `  ${id.padEnd(20)}${sim.url}/${id}`);
    print(
      `Simulated upstreams on ${sim.url}:\n${lines.join('\n')}\n\nFor example:\n  HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL=${sim.url}/duckduckgo headgate search "rust programming"\n\nResearch in the simulator's library of pages about an invented canal:\n${research}\n\nThe same with a scripted model:\n${model} …\n`,
    );
    if (!signal.aborted) await once(signal, 'abort');
    await sim.close();
    return 0;
  },
};

function unusable(port: number, cause: unknown): HeadgateError {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const reason = isTaken ? own`Port ${port} is already in use.` : own`Cannot listen on port ${port}.`;
  return new HeadgateError('invalid_config', reason, { remediation: 'Choose another with --port.', cause });
}
