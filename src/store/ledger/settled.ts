/** How one job of a batch ended. A job's own failure does not fail its neighbours. */
export type Settled = { value: unknown } | { thrown: unknown };

/** Runs `work` and keeps what it throws as a value. */
export function settled(work: () => unknown): Settled {
  try {
    return { value: work() };
  } catch (thrown) {
    return { thrown };
  }
}
