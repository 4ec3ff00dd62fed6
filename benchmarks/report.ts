import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg } from 'node:os';

/** Prints one benchmark's figures as JSON, with what they were measured on. Compare only within one run. */
export function report(benchmark: string, figures: Record<string, unknown>): void {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      typeof value === 'number' ? Number(value.toPrecision(4)) : value,
    ]),
  );
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? arch()} ${arch()}`;
  const about = {
    benchmark,
    date: new Date().toISOString().slice(0, 10),
    commit,
    node: process.version,
    machine,
    load: loadavg()[0]?.toFixed(1),
  };
  console.log(JSON.stringify({ ...about, ...rounded }, null, 2));
}
