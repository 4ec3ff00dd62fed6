import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { onAbort } from '../core/on-abort.ts';
import { abortFailure, SITE } from './failure.ts';

export interface Watch {
  /**
   * Aborts when the caller aborts, a phase takes too long, or the total time is over. The reason is a
   * HeadgateError.
   */
  signal: AbortSignal;
  /** Starts a phase with its own time limit. `words` completes "The site did not …". */
  phase(ms: number, words: Deed): void;
  /** Restarts the time of the phase because data arrived. */
  progress(): void;
  /** Must be called at the end. */
  end(): void;
}

type Deed = 'answer completely' | 'accept a connection' | 'begin to answer' | 'send more of its page';

/** Seconds, rounded to hundredths: a call that has just arrived has 29.999 s left. */
const seconds = (ms: number): number => Math.round(ms / 10) / 100;

/** Combines the deadlines of one fetch into one signal. */
export function createWatch(options: { clock: Clock; caller: AbortSignal; totalMs: number }): Watch {
  const { clock, caller, totalMs } = options;
  const controller = new AbortController();
  const endsAt = clock.monotonic() + totalMs;
  let phase = { since: clock.monotonic(), ms: totalMs, words: 'answer completely' as Deed };
  let sleeper = new AbortController();
  const stopListening = onAbort(caller, () => controller.abort(abortFailure(caller)));
  const end = () => {
    stopListening();
    controller.abort(new HeadgateError('cancelled', 'The fetch is over.'));
    sleeper.abort();
  };
  const late = () => {
    const total = clock.monotonic() >= endsAt;
    const words = total
      ? own`answer completely within ${seconds(totalMs)} s`
      : own`${phase.words} within ${seconds(phase.ms)} s`;
    return new HeadgateError('upstream_timeout', own`${SITE} did not ${words}.`);
  };
  const guard = async () => {
    while (!controller.signal.aborted) {
      const leftMs = Math.min(endsAt, phase.since + phase.ms) - clock.monotonic();
      if (leftMs <= 0) controller.abort(late());
      else await clock.sleep(leftMs, sleeper.signal).catch(() => {});
    }
  };
  void guard();
  return {
    signal: controller.signal,
    end,
    progress: () => {
      phase.since = clock.monotonic();
    },
    phase: (ms, words) => {
      phase = { since: clock.monotonic(), ms, words };
      // The new phase may end sooner than the sleep that is under way.
      sleeper.abort();
      sleeper = new AbortController();
    },
  };
}
