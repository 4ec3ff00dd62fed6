import { setMaxListeners } from 'node:events';

const unlimited = new WeakSet<AbortSignal>();

/**
 * Calls `action` when the signal aborts, or at once if it already has. Returns a function that removes the
 * listener. A call's signal has one listener per running request, so Node's warning about more than ten
 * listeners is switched off.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) {
    action();
    return () => {};
  }
  if (!unlimited.has(signal)) {
    unlimited.add(signal);
    setMaxListeners(0, signal);
  }
  signal.addEventListener('abort', action, { once: true });
  return () => signal.removeEventListener('abort', action);
}

/**
 * Resolves with the work's result, or rejects with the signal's reason as soon as it aborts. The work
 * continues; the caller must take care of it.
 */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason as Error));
    work.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (thrown: unknown) => {
        stopListening();
        reject(thrown);
      },
    );
  });
}
