// `npm run simulate -- [--seed N] [--histories M] [--found K]`: plays histories and prints what they show.
import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '10000' },
    found: { type: 'string', default: '3' },
  },
});
const started = process.cpuUsage();
const { found, counts, ...totals } = await simulate({
  seed: Number(values.seed),
  histories: Number(values.histories),
  foundMax: Number(values.found),
});
const { user, system } = process.cpuUsage(started);
const seconds = (user + system) / 1e6;
for (const { seed, violations, smallest } of found) {
  process.stdout.write(`\nseed ${seed}:\n${violations.map((one) => `  ${one}\n`).join('')}`);
  process.stdout.write(`smallest history: ${JSON.stringify(smallest)}\n`);
}
process.stdout.write(
  `${JSON.stringify({ ...totals, perMinute: Math.round((totals.histories / seconds) * 60), counts })}\n`,
);
process.exitCode = found.length === 0 ? 0 : 1;
