import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/headgate.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research } from '../../src/operations/research/research.ts';

// A process that researches until somebody kills it: `child.ts HOME FLAGS INPUT`.
const [home = '', flags = '{}', input = '{}'] = process.argv.slice(2);
const { config } = loadConfig({ flags: JSON.parse(flags) as Record<string, unknown> });
const { services } = createEngine(config, { home, log: silentLogger });
void perform(research, JSON.parse(input), createCall(services, { timeoutMs: 60_000 }), services).then(() =>
  process.exit(0),
);
