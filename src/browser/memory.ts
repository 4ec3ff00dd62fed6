import { readFile } from 'node:fs/promises';
import type { Devtools } from './devtools.ts';

/** Megabytes that the browser's processes hold for themselves; 0 where the system does not say (only Linux does). */
export async function memoryOf(devtools: Devtools): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const processes = Array.isArray(processInfo) ? (processInfo as { id?: unknown }[]) : [];
  const sizes = await Promise.all(processes.map(({ id }) => ownMemory(Number(id))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function ownMemory(pid: number): Promise<number> {
  // A process that ended in the meantime holds nothing.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}
