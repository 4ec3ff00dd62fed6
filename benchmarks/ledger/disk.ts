// What a flush costs, and disks on which it always costs the same: a ratio to one flush per call is otherwise a ratio to the minute of the disk.
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk to measure on: this one as it is, or one whose flush takes a fixed time. */
export interface Disk {
  name: string;
  flushUs: number | undefined;
}

export const DISKS: Disk[] = [
  { name: 'this disk', flushUs: undefined },
  { name: '1 ms per flush', flushUs: 1_000 },
  { name: '4 ms per flush', flushUs: 4_000 },
];

/** Compiles the library that counts and prices flushes; undefined where there is no compiler. */
export function buildFlushLibrary(folder: string): string | undefined {
  const library = join(folder, 'flush.so');
  try {
    const source = join(import.meta.dirname, 'flush.c');
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'ignore' });
    return library;
  } catch {
    return undefined;
  }
}

/** The environment of a process, and of its children, on such a disk. */
export function environmentOf({ flushUs }: Disk, library: string, folder: string): Record<string, string> {
  const count = join(folder, 'flushes');
  writeFileSync(count, Buffer.alloc(8));
  // PostgreSQL runs as another user.
  chmodSync(count, 0o666);
  chmodSync(folder, 0o755);
  return {
    LD_PRELOAD: library,
    HEADGATE_FLUSH_COUNT: count,
    ...(flushUs === undefined ? {} : { HEADGATE_FLUSH_US: String(flushUs) }),
  };
}

/** How many flushes this process and its children have made, when they are counted. */
export function flushesSoFar(): number | undefined {
  const path = process.env.HEADGATE_FLUSH_COUNT;
  return path === undefined ? undefined : Number(readFileSync(path).readBigUInt64LE());
}

/** What one durable write of 4 kB costs here and now. */
export function flushTimes(where: string): { p50Ms: number; p99Ms: number } {
  const path = join(where, 'flush');
  const file = openSync(path, 'w');
  const times = Array.from({ length: 300 }, (_, index) => {
    const from = performance.now();
    writeSync(file, Buffer.alloc(4_096, 1), 0, 4_096, (index % 8) * 4_096);
    fsyncSync(file);
    return performance.now() - from;
  });
  closeSync(file);
  rmSync(path);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2));
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
