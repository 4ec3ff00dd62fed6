import { sha256 } from '../state.ts';

/** The finished steps of a run. Resuming replays them instead of repeating them. */
export interface Journal {
  /** The value of this step from an earlier run, or the value that `work` returns now. */
  step<Value>(kind: string, parts: unknown[], work: () => Promise<Value>): Promise<Value>;
}

/** Stores the finished steps of a session. */
export interface StepBook {
  /** The value of a step from an earlier run; undefined when it was not finished. Requested at most once. */
  take(key: string): Promise<{ value: unknown } | undefined>;
  save(key: string, value: unknown): Promise<void>;
}

/**
 * Steps by their input, written in order and not kept in memory, because a run reads each only once. A step
 * that cannot be written still counts; after a crash it would be repeated.
 */
export function createJournal(book: StepBook, onUnsaved: (thrown: unknown) => void): Journal {
  let saved: Promise<void> = Promise.resolve();
  return {
    step: async <Value>(kind: string, parts: unknown[], work: () => Promise<Value>) => {
      const key = `${kind}:${sha256(JSON.stringify(parts))}`;
      const known = await book.take(key);
      if (known !== undefined) return known.value as Value;
      const value = await work();
      saved = saved.then(() => book.save(key, value)).catch(onUnsaved);
      await saved;
      return value;
    },
  };
}
