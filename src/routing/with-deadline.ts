import type { Call } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { withinTime } from '../core/deadline.ts';

/** Runs a part of a call in at most `ms`, and never longer than the call itself may take. */
export function withDeadline<Answer>(
  outer: Call,
  ms: number,
  { clock }: { clock: Clock },
  run: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const now = clock.now();
  const leftMs = Math.max(1, Math.min(ms, outer.deadline - now));
  return withinTime(outer.signal, leftMs, clock, (signal) =>
    run({ ...outer, deadline: now + leftMs, signal }),
  );
}
