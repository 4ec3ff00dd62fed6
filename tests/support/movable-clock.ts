import { systemClock, type Clock } from '../../src/core/clock.ts';

/** The machine's time, until a test moves it on: then everybody whose time has come wakes. For what must wait on real sockets and threads first. */
export function createMovableClock(): Clock & { move(ms: number): void } {
  let ahead = 0;
  const alarms = new Set<{ at: number; ring(): void }>();
  const now = (): number => systemClock.now() + ahead;
  const after: Clock['after'] = (ms, action) => {
    const ring = (): void => {
      cancel();
      action();
    };
    const stop = systemClock.after(ms, ring);
    const alarm = { at: now() + ms, ring };
    const cancel = (): void => {
      stop();
      alarms.delete(alarm);
    };
    alarms.add(alarm);
    return cancel;
  };
  return {
    now,
    monotonic: () => systemClock.monotonic() + ahead,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const cancel = after(ms, resolve);
        const onAbort = (): void => {
          cancel();
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    move: (ms) => {
      ahead += ms;
      for (const alarm of alarms) if (alarm.at <= now()) alarm.ring();
    },
  };
}
