import { onAbort } from '../core/on-abort.ts';
import { abortFailure } from './failure.ts';

export interface SingleFlight {
  run<T>(key: string, fn: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Flight {
  controller: AbortController;
  waiters: number;
  result: Promise<unknown>;
}

/**
 * Runs equal work that is requested at the same time once. A caller that cancels leaves alone; when the last
 * one has left, the work is aborted. `key` must contain everything that makes work different, including the
 * tenant.
 */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Flight>();
  const start = <T>(key: string, fn: (signal: AbortSignal) => Promise<T>): Flight => {
    const controller = new AbortController();
    const flight: Flight = { controller, waiters: 0, result: fn(controller.signal) };
    const forget = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(forget, forget);
    flights.set(key, flight);
    return flight;
  };
  const leave = (key: string, flight: Flight, reason: unknown) => {
    flight.waiters -= 1;
    if (flight.waiters > 0) return;
    // A new caller must not join work that is being aborted.
    if (flights.get(key) === flight) flights.delete(key);
    flight.controller.abort(reason);
  };
  return {
    run: <T>(key: string, fn: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) => {
      if (signal.aborted) return Promise.reject(abortFailure(signal));
      const flight = flights.get(key) ?? start(key, fn);
      flight.waiters += 1;
      return new Promise<T>((resolve, reject) => {
        const stopListening = onAbort(signal, () => {
          reject(abortFailure(signal));
          leave(key, flight, signal.reason);
        });
        flight.result.then(
          (value) => {
            stopListening();
            resolve(value as T);
          },
          (thrown: unknown) => {
            stopListening();
            reject(thrown);
          },
        );
      });
    },
  };
}
