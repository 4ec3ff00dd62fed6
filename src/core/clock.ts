import { onAbort } from './on-abort.ts';

/** Time, passed in as a value so that tests control every wait. */
export interface Clock {
  /** Milliseconds since the epoch. Follows the system time, which can be set forward and back. */
  now(): number;
  /**
   * Milliseconds since an arbitrary moment in this process. Never goes back, even when the system time does.
   */
  monotonic(): number;
  /** Resolves after `ms`, or rejects at once with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `action` after `ms` and returns a function that cancels it. The timer does not keep the process
   * running.
   */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        stopListening();
        resolve();
      }, ms);
      const stopListening = listen(signal, (reason) => {
        clearTimeout(timer);
        reject(reason);
      });
    }),
  after: (ms, action) => {
    const timer = setTimeout(action, ms).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * The time that limits are measured with. It follows the system time but never goes back and never stands
 * still: when the system time is set back, this one continues from where it was.
 */
export function createSteadyTime({ monotonic }: Pick<Clock, 'monotonic'>): (wall: number) => number {
  let steady = -Infinity;
  let at = monotonic();
  return (wall) => {
    const passed = monotonic() - at;
    at += passed;
    steady = Math.max(steady + passed, wall);
    return Math.floor(steady);
  };
}

function listen(signal: AbortSignal | undefined, action: (reason: Error) => void): () => void {
  return signal === undefined ? () => {} : onAbort(signal, () => action(signal.reason as Error));
}
