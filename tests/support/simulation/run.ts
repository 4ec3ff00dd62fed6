// `npm run simulate -- [--seed N] [--histories M] [--found K] [--processes P]`: plays histories and prints what they show.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';
import { simulateInProcesses } from './simulate-in-processes.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '10000' },
    found: { type: 'string', default: '3' },
    processes: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'boolean', default: false },
  },
});
const options = {
  seed: Number(values.seed),
  histories: Number(values.histories),
  foundMax: Number(values.found),
};
const processes = Number(values.processes);
const started = performance.now();
const simulated =
  processes > 1
    ? await simulateInProcesses({ ...options, program: process.argv[1] ?? '', processes })
    : await simulate(options);
const { found, counts, ...totals } = simulated;
const minutes = (performance.now() - started) / 60_000;
if (values.json) process.stdout.write(JSON.stringify(simulated));
else {
  for (const { seed, violations, smallest } of found) {
    process.stdout.write(`\nseed ${seed}:\n${violations.map((one) => `  ${one}\n`).join('')}`);
    process.stdout.write(`smallest history: ${JSON.stringify(smallest)}\n`);
  }
  const perMinute = Math.round(totals.histories / minutes);
  process.stdout.write(`${JSON.stringify({ ...totals, processes, perMinute, counts })}\n`);
}
process.exitCode = found.length === 0 ? 0 : 1;
