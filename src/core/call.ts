import type { Grant } from './grant.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Who asks. An absent workspace is the person at this machine. */
export interface Caller {
  workspace?: string;
  agent?: string;
  /** The id of the API key, never the key. */
  key?: string;
  /** What they may use; `all` inside an operation that was allowed. Needed with a key or an agent. */
  grant?: Grant | 'all';
}

export interface Progress {
  done: number;
  total?: number;
  message?: string;
}

/** A question to the caller's own language model. */
export interface SamplingRequest {
  system: string;
  prompt: string;
  tokensMax: number;
}

export interface SamplingAnswer {
  text: string;
  /** True when it stopped because it had no room left. */
  isCut: boolean;
}

/** A request to a provider with a price. */
export interface Paid {
  /** Ends the request; the caller's own signal does not. */
  signal: AbortSignal;
  /** Whether something was sent: from then on nobody but the provider knows whether it did the work. */
  isSent: boolean;
}

/** Everything about one call that is not its input. */
export interface Call {
  requestId: string;
  caller: Caller;
  /** Aborted when the caller goes away, cancels, or the deadline passes. */
  signal: AbortSignal;
  /** When the call must be over, in the clock's milliseconds. */
  deadline: number;
  /** The answer must fit into this many tokens. */
  tokensMax?: number;
  /** The most that this call may cost. */
  creditsMax?: number;
  idempotencyKey?: string;
  dryRun?: boolean;
  progress?(progress: Progress): void;
  /** What this call spends; absent where nothing is metered. */
  unit?: UnitOfWork | undefined;
  /** Of a request that is paid for: it is heard to its end whatever becomes of the caller, and whoever sends it says so. */
  paid?: Paid;
  /** Asks the model of the client that called; absent when it offers none. A refusal is `upstream_unavailable`. */
  requestSampling?(request: SamplingRequest, signal?: AbortSignal): Promise<SamplingAnswer>;
}
