import type { Clock } from '../../../src/core/clock.ts';
import { onAbort } from '../../../src/core/on-abort.ts';

/** A process that can die; what it waits for then never happens. */
export interface Life {
  isAlive: boolean;
}

interface Event {
  at: number;
  life: Life;
  action(): void;
}

/** Simulated time: nothing happens but events, one after the other, each with all of its consequences before the next. */
export interface Time {
  /** Milliseconds that have really passed. */
  readonly passed: number;
  /** What the machine's clock shows. */
  readonly wall: number;
  /** Sets the machine's clock; no time passes. */
  step(ms: number): void;
  at(ms: number, life: Life, action: () => void): () => void;
  /** Runs events until so much has passed. */
  runTo(passed: number): Promise<void>;
  /** The clock of one process. Sleeps of its `background` wake late rather than often. */
  clockOf(life: Life, background?: boolean): Clock;
}

/** More than any history has; one that goes on for ever shows a defect. */
const EVENTS_MAX = 20_000;

export function createTime(start: number): Time {
  const queue: Event[] = [];
  let sleepers: Event[] = [];
  let passed = 0;
  let offset = start;

  const at: Time['at'] = (ms, life, action) => {
    const event = { at: passed + Math.max(0, ms), life, action };
    let index = queue.length;
    while (index > 0 && (queue[index - 1] as Event).at > event.at) index -= 1;
    queue.splice(index, 0, event);
    return () => {
      const found = queue.indexOf(event);
      if (found !== -1) queue.splice(found, 1);
    };
  };
  const wakeBackground = (): void => {
    const due = sleepers.filter((one) => one.at <= passed);
    if (due.length === 0) return;
    sleepers = sleepers.filter((one) => one.at > passed);
    for (const { life, action } of due) if (life.isAlive) action();
  };
  const sleepInBackground = (ms: number, life: Life, action: () => void): (() => void) => {
    const event = { at: passed + ms, life, action };
    sleepers.push(event);
    return () => {
      sleepers = sleepers.filter((one) => one !== event);
    };
  };
  return {
    get passed() {
      return passed;
    },
    get wall() {
      return Math.floor(passed + offset);
    },
    step: (ms) => {
      offset += ms;
    },
    at,
    runTo: async (until) => {
      for (let events = 0; ; events += 1) {
        if (events > EVENTS_MAX) throw new Error('the history does not end');
        await turn();
        const [next] = queue;
        if (next === undefined || next.at > until) break;
        queue.shift();
        passed = next.at;
        wakeBackground();
        if (next.life.isAlive) next.action();
      }
      passed = until;
      wakeBackground();
      await turn();
    },
    clockOf: (life, background = false) => ({
      now: () => Math.floor(passed + offset),
      monotonic: () => passed,
      after: (ms, action) => at(timerMs(ms), life, action),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const wait = background ? sleepInBackground : at;
          const cancel = wait(timerMs(ms), life, () => {
            stopListening();
            resolve();
          });
          const stopListening =
            signal === undefined
              ? () => {}
              : onAbort(signal, () => {
                  cancel();
                  reject(signal.reason as Error);
                });
        }),
    }),
  };
}

/** As Node's timers have it. */
const timerMs = (ms: number): number => Math.max(1, Math.trunc(ms));

/** Everything that promises have set off has happened. */
const turn = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** Does something between two steps of other promises: after so many turns of the queue in which they go on. */
export function afterTicks(ticks: number, action: () => void): void {
  let left = ticks;
  const tick = (): void => {
    if (left === 0) return action();
    left -= 1;
    void Promise.resolve().then(tick);
  };
  tick();
}
