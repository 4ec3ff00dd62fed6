import type { Clock } from './clock.ts';
import { onAbort } from './on-abort.ts';

/**
 * Runs something with a signal that fires with another one, or with a TimeoutError when its time is up. Not by `AbortSignal.any` over an
 * `AbortSignal.timeout`: nothing holds the second one, so on Node 20 the garbage collector takes it and the time is never up.
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
