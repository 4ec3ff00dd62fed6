import { HeadgateError } from '../core/errors.ts';

/** Work that goes on without its caller: requests that a provider with a price already has. */
export interface Hearing {
  /** Fires when the process ends. */
  signal: AbortSignal;
  /** Notes that something is going on. */
  add<Value>(work: Promise<Value>): Promise<Value>;
  /** Ends what is going on and waits for what must still be written about it. */
  close(): Promise<void>;
}

export function createHearing(): Hearing {
  const going = new Set<Promise<unknown>>();
  const end = new AbortController();
  return {
    signal: end.signal,
    add: (work) => {
      const gone = () => void going.delete(ended);
      const ended = work.then(gone, gone);
      going.add(ended);
      return work;
    },
    close: async () => {
      end.abort(new HeadgateError('cancelled', 'Headgate was stopped before the provider answered.'));
      while (going.size > 0) await Promise.all(going);
    },
  };
}
