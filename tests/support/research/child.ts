import { writeSync } from 'node:fs';
import { loadConfig } from '../../../src/config/load.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { createCall, perform } from '../../../src/operations/perform.ts';
import { follow, research } from '../../../src/research/research.ts';

// A process that begins a research until somebody kills it, or goes on with those that were killed and prints their reports.
export interface ChildTask {
  home: string;
  flags: Record<string, unknown>;
  accounts: boolean;
  begin?: Record<string, unknown>;
  resume?: string[];
}

const task = JSON.parse(process.argv[2] ?? '{}') as ChildTask;
const { config } = loadConfig({ flags: task.flags });
const { services, close } = createEngine(config, {
  home: task.home,
  log: silentLogger,
  accounts: task.accounts,
});
const newCall = () => createCall(services, { timeoutMs: 60_000 });
if (task.begin !== undefined) await perform(research, task.begin, { call: newCall(), services });
for (const id of task.resume ?? []) {
  await services.research.resume(id, {}, { call: newCall(), services });
  const { report } = await follow(id, { call: newCall(), services });
  writeSync(1, `${JSON.stringify(report)}\n`);
}
await close();
