import { setMaxListeners } from 'node:events';

/**
 * Calls `action` when the signal aborts, at once if it already has; the result takes the listener away again. A call's signal
 * has one listener per request that runs for it, so Node's warning about more than ten would be wrong.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) {
    action();
    return () => {};
  }
  setMaxListeners(0, signal);
  signal.addEventListener('abort', action, { once: true });
  return () => signal.removeEventListener('abort', action);
}

/** The work's result, or the signal's reason as soon as it aborts. The work goes on, and somebody else must see to it. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason as Error));
    work.then(resolve, reject).finally(stopListening);
  });
}
