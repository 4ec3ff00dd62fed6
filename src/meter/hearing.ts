import { HeadgateError } from '../core/errors.ts';

/** Requests to priced providers that continue without their caller. */
export interface Hearing {
  /** Fires when the process ends. */
  signal: AbortSignal;
  /** Tracks a pending request. */
  add<Value>(work: Promise<Value>): Promise<Value>;
  /** Aborts pending requests and waits until their bookings are written. */
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
