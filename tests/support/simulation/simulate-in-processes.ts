import { execFile } from 'node:child_process';
import type { Found, Simulated, SimulateOptions } from './simulate.ts';

/** A process plays at most so many histories before it takes the next ones, so that none waits long for the slowest. */
const BLOCK_MAX = 5_000;

/** Plays histories in several processes, each running `program`, the bundled run.ts. */
export async function simulateInProcesses(
  options: SimulateOptions & { program: string; processes: number },
): Promise<Simulated> {
  const { seed: first, histories, foundMax = 1, program, processes } = options;
  const total: Simulated = { histories: 0, calls: 0, requests: 0, counts: {}, found: [] };
  const block = Math.min(BLOCK_MAX, Math.ceil(histories / processes));
  let next = first;
  const work = async () => {
    while (next < first + histories && total.found.length < foundMax) {
      const seed = next;
      next += Math.min(block, first + histories - next);
      const part = await runBlock(program, seed, next - seed, foundMax);
      total.histories += part.histories;
      total.calls += part.calls;
      total.requests += part.requests;
      for (const [what, count] of Object.entries(part.counts))
        total.counts[what] = (total.counts[what] ?? 0) + count;
      total.found.push(...part.found);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  total.found.sort((a: Found, b: Found) => a.seed - b.seed);
  return total;
}

function runBlock(program: string, seed: number, histories: number, found: number): Promise<Simulated> {
  const given = { seed, histories, found, processes: 1 };
  const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, '--json', ...flags],
      { maxBuffer: 1 << 26 },
      (failed, stdout, stderr) => {
        // It ends with 1 when a history shows something, and says so.
        if (stdout !== '') resolve(JSON.parse(stdout) as Simulated);
        else reject(failed ?? new Error(`The simulation of seed ${seed} said nothing: ${stderr}`));
      },
    );
  });
}
