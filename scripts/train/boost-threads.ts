import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BoostTask } from './boost-task.ts';
import type { Grown } from './gbdt.ts';

/** Grows one forest per task, as many at once as there are processors. Each depends on its task alone, so the result is always the same. */
export async function boostAll(tasks: BoostTask[]): Promise<Grown[]> {
  const results: Grown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let number = next++; number < tasks.length; number = next++)
      results[number] = await runTask(tasks[number] as BoostTask);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

/** A thread does not inherit the loader that reads TypeScript, so it begins with it. */
const START = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(new URL('./boost-task.ts', import.meta.url).href)});
});`;

function runTask(task: BoostTask): Promise<Grown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(START, { eval: true, workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** A copy that threads share instead of copying it again. */
export function shareFloats(values: Float32Array): Float32Array {
  const shared = new Float32Array(new SharedArrayBuffer(values.byteLength));
  shared.set(values);
  return shared;
}
