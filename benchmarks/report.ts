import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg } from 'node:os';

/** What a run was measured on. Compare only within one run. */
export const about = (benchmark: string): Record<string, unknown> => ({
  benchmark,
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model.trim() || 'processor'} ${arch()}`,
  load: Number(loadavg()[0]?.toFixed(1)),
});

/** Prints one benchmark's figures as JSON, with what they were measured on. */
export function report(benchmark: string, figures: Record<string, unknown>): void {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      typeof value === 'number' ? Number(value.toPrecision(4)) : value,
    ]),
  );
  console.log(JSON.stringify({ ...about(benchmark), ...rounded }, null, 2));
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
