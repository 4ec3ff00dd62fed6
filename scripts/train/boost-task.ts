import { parentPort, workerData } from 'node:worker_threads';
import { type Binned, boost, type BoostOptions } from './gbdt.ts';

/** What a thread needs to grow one forest. Large arrays are shared. */
export interface BoostTask {
  binned: Binned;
  rows: Int32Array;
  labels: Float32Array;
  weights: Float32Array;
  options: BoostOptions;
}

if (parentPort !== null) {
  const { binned, rows, labels, weights, options } = workerData as BoostTask;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort.postMessage(boost(binned, rows, labels, weights, options));
}
