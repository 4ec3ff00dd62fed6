import { setTimeout as wait } from 'node:timers/promises';

/** Polls, because what is waited for happens in another process or thread without telling us. */
export async function until(done: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`It did not happen within ${withinMs / 1_000} s.`);
    await wait(TURN_MS);
  }
}

const TURN_MS = 2;

/**
 * How long it takes until something is so, by the turns of a timer of this process: while other work keeps the process from the processor it counts nothing,
 * which the time on the clock would.
 */
export async function ownMsUntil(done: () => boolean, withinMs = 20_000): Promise<number> {
  let ms = 0;
  for (; !done() && ms < withinMs; ms += TURN_MS) await wait(TURN_MS);
  return ms;
}
