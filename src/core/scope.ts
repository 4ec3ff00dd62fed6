import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from './clock.ts';

/** A call of a run that is recorded or replayed. Its ids and its time depend on what was asked, and not on when. */
export interface CallScope {
  /** Made of the request and how often it was made before. */
  id: string;
  /** How often the same request was made before. */
  repetition: number;
  /** The time of the call, which stands still while it runs. */
  now: number;
  /** How often each exchange was made in this call. */
  exchanges: Map<string, number>;
  /** A UUID, and a mark of 128 bits, which are the same whenever the call is made again. */
  requestId: string;
  nonce: string;
}

/** Runs a call in its scope; inside another call, in that one's. */
export type EnterScope = <Value>(name: string, input: unknown, work: () => Promise<Value>) => Promise<Value>;

const around = new AsyncLocalStorage<CallScope>();

export const currentScope = (): CallScope | undefined => around.getStore();

export const inScope = <Value>(scope: CallScope, work: () => Promise<Value>): Promise<Value> =>
  around.run(scope, work);

/** Runs `work` as if it belonged to no call, for the time of records that outlive it. */
export const outsideScope = <Value>(work: () => Value): Value => around.exit(work);

/** The clock, whose time stands still in a scope. What waits still waits. */
export const scopedClock = (clock: Clock): Clock => ({
  ...clock,
  now: () => currentScope()?.now ?? clock.now(),
});
