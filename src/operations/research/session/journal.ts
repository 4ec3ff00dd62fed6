import { sha256 } from '../state.ts';

/** The steps of a run that are done, so that a run that is repeated does not ask again. */
export interface Journal {
  /** The value of this step from an earlier run, or the value that `work` gives now. */
  step<Value>(kind: string, parts: unknown[], work: () => Promise<Value>): Promise<Value>;
}

/** Where the finished steps of a session are written down. */
export interface StepBook {
  /** The value of a step from an earlier run; undefined when it was not done. It is asked for at most once. */
  take(key: string): Promise<{ value: unknown } | undefined>;
  save(key: string, value: unknown): Promise<void>;
}

/**
 * Steps by what was asked. They are written one after another, and none is kept in memory: what a run has read once it does not need again.
 * A step that cannot be written down still counts; after a kill it would be done again.
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
