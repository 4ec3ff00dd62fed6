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
  /** What was recorded or published later is not there. */
  asOf?: number;
  /** The latest time that the call may name with `as_of`. */
  asOfMax?: number;
  /** How often each exchange was made in this call. */
  exchanges: Map<string, number>;
  /** A UUID, and a mark of 128 bits, which are the same whenever the call is made again. */
  requestId: string;
  nonce: string;
}

/** Runs a call in its scope; inside another call, in that one's. A workspace may have a web of its own. */
export type EnterScope = <Value>(
  name: string,
  input: unknown,
  work: () => Promise<Value>,
  workspace?: string,
) => Promise<Value>;

const around = new AsyncLocalStorage<CallScope>();

export const currentScope = (): CallScope | undefined => around.getStore();

export const inScope = <Value>(scope: CallScope, work: () => Promise<Value>): Promise<Value> =>
  around.run(scope, work);

/** Runs `work` as if it belonged to no call, for the time of records that outlive it. */
export const outsideScope = <Value>(work: () => Value): Value => around.exit(work);

/** A function that runs in the scope of now, whoever calls it later. */
export const keepScope = <Args extends unknown[]>(work: (...args: Args) => void): ((...args: Args) => void) =>
  AsyncLocalStorage.bind(work);

/** The clock, whose time stands still in a scope. What waits still waits. */
export const scopedClock = (clock: Clock): Clock => ({
  ...clock,
  now: () => currentScope()?.now ?? clock.now(),
});

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The last moment that `as_of` includes: of a date, the end of that day in UTC. NaN for what is neither a date nor a time. */
export const asOfTime = (text: string): number =>
  DAY.test(text) ? Date.parse(`${text}T23:59:59.999Z`) : TIME.test(text) ? Date.parse(text) : NaN;

/** True for what was published after the time that the call is about. */
export const isLater = (published: string | undefined): boolean => {
  const { asOf } = currentScope() ?? {};
  return asOf !== undefined && published !== undefined && Date.parse(published) > asOf;
};
