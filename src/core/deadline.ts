import type { Clock } from './clock.ts';
import { onAbort } from './on-abort.ts';

/**
 * Runs `work` with a signal that aborts with the given one, or with a TimeoutError after `ms`. It does not
 * combine `AbortSignal.any` with `AbortSignal.timeout`: on Node 20 the garbage collector takes the timeout
 * signal, and it never fires.
 */
export async function withinTime<Answer>(
  outer: AbortSignal,
  ms: number,
  clock: Pick<Clock, 'after'>,
  run: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  const stopListening = onAbort(outer, () => controller.abort(outer.reason));
  const stopTimer = clock.after(ms, () => controller.abort(new DOMException('Time is up.', 'TimeoutError')));
  try {
    return await run(controller.signal);
  } finally {
    stopListening();
    stopTimer();
  }
}
