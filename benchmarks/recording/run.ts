// What recording costs a request, and what a large snapshot costs: pages of 20 KB over loopback, live and recorded in turns in one process;
// then a file of 10,000 exchanges is opened, and requests are looked up in it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClock } from '../../tests/support/clock.ts';
import { createUpstream } from '../../src/net/upstream.ts';
import { openMode } from '../../src/snapshot/mode.ts';
import { median, report } from '../report.ts';
import { startSite } from './site.ts';

const ROUNDS = 8;
const PER_ROUND = 250;
const CALL_ROUNDS = 5;
const RECORDS = 10_000;
const home = mkdtempSync(join(tmpdir(), 'snapshot-'));
const site = await startSite();
const { signal } = new AbortController();
const file = join(home, 'web.wacz');
const shared = {
  snapshots: [file],
  misses: undefined,
  clock: createTestClock(),
  secrets: ['a-secret-of-the-operator'],
};
const recording = openMode({ ...shared, mode: 'record', isPacked: true });
const upstreams = { live: createUpstream({}), recorded: createUpstream({ web: recording.web }) };

let count = 0;
async function ask(kind: keyof typeof upstreams): Promise<number> {
  count += 1;
  const began = performance.now();
  await upstreams[kind].send(
    { url: `${site.base}/${count}?q=mills`, method: 'GET', headers: { accept: 'text/html' } },
    { signal, provider: 'test' },
  );
  return performance.now() - began;
}

/** What a whole call costs the processor, in processes of its own, in turns. */
function callCosts(): Record<'live' | 'recorded', number> {
  const costs = { live: [] as number[], recorded: [] as number[] };
  for (let round = 0; round < CALL_ROUNDS; round += 1)
    for (const kind of ['live', 'recorded'] as const)
      costs[kind].push(
        Number(
          execFileSync(process.execPath, ['--import', 'tsx', 'benchmarks/recording/calls.ts', kind], {
            encoding: 'utf8',
          }),
        ),
      );
  return { live: median(costs.live), recorded: median(costs.recorded) };
}

const times = { live: [] as number[], recorded: [] as number[] };
const cpu = { live: [] as number[], recorded: [] as number[] };
for (let round = 0; round <= ROUNDS; round += 1)
  for (const kind of ['live', 'recorded'] as const) {
    const before = process.cpuUsage();
    const taken: number[] = [];
    for (let each = 0; each < PER_ROUND; each += 1) taken.push(await ask(kind));
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round === 0) continue;
    times[kind].push(...taken);
    cpu[kind].push((user + system) / PER_ROUND);
  }
for (let left = RECORDS - (ROUNDS + 1) * PER_ROUND; left > 0; left -= 50)
  await Promise.all(Array.from({ length: 50 }, () => ask('recorded')));
await recording.close();
await Promise.all([upstreams.live.close(), upstreams.recorded.close()]);
site.close();

const calls = callCosts();
const ofFile = execFileSync(
  process.execPath,
  ['--expose-gc', '--import', 'tsx', 'benchmarks/recording/open.ts', file],
  { encoding: 'utf8' },
);

report('recording', {
  live_ms: median(times.live),
  recorded_ms: median(times.recorded),
  more_ms: median(times.recorded) - median(times.live),
  live_cpu_us: median(cpu.live),
  recorded_cpu_us: median(cpu.recorded),
  cpu_ratio: median(cpu.recorded) / median(cpu.live),
  call_cpu_us: calls.live,
  call_cpu_ratio: calls.recorded / calls.live,
  file_mb: statSync(file).size / 1e6,
  ...(JSON.parse(ofFile) as Record<string, number>),
});
rmSync(home, { recursive: true, force: true });
