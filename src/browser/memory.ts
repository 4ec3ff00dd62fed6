import { readFile } from 'node:fs/promises';
import type { Devtools } from './devtools.ts';

/**
 * The private memory of the browser's processes in megabytes; 0 where the system does not report it (only
 * Linux does).
 */
export async function memoryOf(devtools: Devtools): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const processes = Array.isArray(processInfo) ? (processInfo as { id?: unknown }[]) : [];
  const sizes = await Promise.all(processes.map(({ id }) => ownMemory(Number(id))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function ownMemory(pid: number): Promise<number> {
  // A process that has exited counts as zero.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}
