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
