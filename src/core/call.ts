import type { CallNote, Surface } from './call-row.ts';
import type { Gate, Policy } from './gate.ts';
import type { Grant } from './grant.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The caller. Without a workspace it is the person at this machine. */
export interface Caller {
  workspace?: string;
  agent?: string;
  /** The ID of the API key, never the key itself. */
  key?: string;
  /** The person who signed in to the client that calls, or to the console. */
  person?: string;
  /**
   * What the caller may use; `all` inside an operation that was already allowed. Required with a key or an
   * agent.
   */
  grant?: Grant | 'all';
  /** Rules that it sets for itself; each can only narrow. */
  policy?: readonly Policy[];
}

export interface Progress {
  done: number;
  total?: number;
  message?: string;
  /** Something did not go as it should. */
  isWarning?: boolean;
  /** What happened, as data, for who shows more than the message. */
  event?: object;
}

/** A request to the caller's own language model (MCP sampling). */
export interface SamplingRequest {
  system: string;
  prompt: string;
  tokensMax: number;
}

export interface SamplingAnswer {
  text: string;
  /** True when the model stopped because it reached the token limit. */
  isCut: boolean;
}

/** A person's answer to a question: yes, no, or none. */
export type Confirmation = 'accepted' | 'declined' | 'none';

/** A request to a provider that has a price. */
export interface Paid {
  /** Aborts the request. The caller's own signal does not. */
  signal: AbortSignal;
  /** Whether the request was sent. From then on only the provider knows whether it did the work. */
  isSent: boolean;
}

/** Everything about one call that is not its input. */
export interface Call {
  requestId: string;
  caller: Caller;
  /** Where it came from; a program unless said otherwise. */
  surface?: Surface;
  /** Aborted when the caller goes away, cancels, or the deadline passes. */
  signal: AbortSignal;
  /** When the call must be over, in the clock's milliseconds. */
  deadline: number;
  /** The most credits that this call may cost. */
  creditsMax?: number;
  idempotencyKey?: string;
  progress?(progress: Progress): void;
  /** The unit of work that this call spends from; absent where nothing is metered. */
  unit?: UnitOfWork | undefined;
  /** It only looks at what is there, so the call log leaves it out. */
  isLook?: boolean;
  /** The rules for this caller; absent where there are none. */
  gate?: Gate;
  /** Its row in the call log; absent where calls are not logged. */
  note?: CallNote;
  /** Set for a request that is paid for: it runs to its end even when the caller leaves. */
  paid?: Paid;
  /**
   * Asks the model of the client (MCP sampling); absent when the client offers none. A refusal is
   * `upstream_unavailable`.
   */
  requestSampling?(request: SamplingRequest, signal?: AbortSignal): Promise<SamplingAnswer>;
  /** Asks the person at the client (MCP elicitation); absent when the client offers none. Never rejects. */
  requestConfirmation?(question: string): Promise<Confirmation>;
  /** Moves the deadline, which it returns: the time in which a person thinks does not count. */
  extend?(ms: number): number;
}
