import { setTimeout as wait } from 'node:timers/promises';

/** Polls, because what is waited for happens in another process or thread without telling us. */
export async function until(done: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`It did not happen within ${withinMs / 1_000} s.`);
    await wait(2);
  }
}
