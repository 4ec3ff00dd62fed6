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

const OVER = new HeadgateError('cancelled', 'The fetch is over.');

/** Combines the deadlines of one fetch into one signal. */
export function createWatch(options: { clock: Clock; caller: AbortSignal; totalMs: number }): Watch {
  const { clock, caller, totalMs } = options;
  const controller = new AbortController();
  const endsAt = clock.monotonic() + totalMs;
  let phase = { since: clock.monotonic(), ms: totalMs, words: 'answer completely' as Deed };
  const stopListening = onAbort(caller, () => controller.abort(abortFailure(caller)));
  const late = () => {
    const total = clock.monotonic() >= endsAt;
    const words = total
      ? own`answer completely within ${seconds(totalMs)} s`
      : own`${phase.words} within ${seconds(phase.ms)} s`;
    return new HeadgateError('upstream_timeout', own`${SITE} did not ${words}.`);
  };
  let stopTimer = () => {};
  const startTimer = () => {
    if (controller.signal.aborted) return;
    const leftMs = Math.min(endsAt, phase.since + phase.ms) - clock.monotonic();
    if (leftMs <= 0) controller.abort(late());
    else stopTimer = clock.after(leftMs, startTimer);
  };
  startTimer();
  return {
    signal: controller.signal,
    end: () => {
      stopListening();
      stopTimer();
      controller.abort(OVER);
    },
    progress: () => {
      phase.since = clock.monotonic();
    },
    phase: (ms, words) => {
      phase = { since: clock.monotonic(), ms, words };
      // The new phase may end sooner than the one before.
      stopTimer();
      startTimer();
    },
  };
}
