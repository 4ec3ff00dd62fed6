import type { Exchanged, ExchangeRequest } from './exchange.ts';

/** One exchange that is under way. */
export interface Running {
  done: Promise<Exchanged>;
  /** Ends it with this reason, at any time. */
  abort(reason: Error): void;
}

/**
 * The web as requests see it: below the cache and above the connection. A recorder lets every request pass and writes down what became of
 * it; a replay answers from what was written and never sends.
 */
export interface Web {
  exchange(
    request: ExchangeRequest,
    kind: 'page' | 'provider',
    send: (request: ExchangeRequest) => Running,
  ): Running;
}

/** The web as it is. */
export const liveWeb: Web = { exchange: (request, _kind, send) => send(request) };
