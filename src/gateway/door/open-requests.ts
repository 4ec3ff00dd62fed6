import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';

export interface OpenRequest {
  signal: AbortSignal;
  /** Aborts the work; the signal fires. */
  abort(reason: unknown): void;
  /** Whether the end of the response can be observed; without a socket it cannot. */
  endsItself: boolean;
  end(): void;
}

/** The open requests. */
export interface OpenRequests {
  /**
   * Registers a request. The signal aborts when the client disconnects or the gateway stops waiting; the end
   * of the response ends it.
   */
  begin(context: Context): OpenRequest;
  readonly count: number;
  readonly isDraining: boolean;
  /** Marks the gateway as not ready for new work. */
  drain(): void;
  /** Resolves when no request is open. */
  idle(): Promise<void>;
  /** Aborts all open requests. */
  abortAll(): void;
}

interface NodeBindings {
  outgoing?: NodeJS.EventEmitter & { writableFinished: boolean };
}

export function createOpenRequests(): OpenRequests {
  const running = new Set<AbortController>();
  const waiting: (() => void)[] = [];
  let isDraining = false;
  return {
    begin: (context) => {
      const controller = new AbortController();
      running.add(controller);
      // Node's response reports a disconnect first; in tests there is only the signal.
      const { outgoing } = (context.env ?? {}) as NodeBindings;
      const end = (): void => {
        if (running.delete(controller) && running.size === 0)
          for (const resolve of waiting.splice(0)) resolve();
      };
      const leave = (): void => {
        if (outgoing?.writableFinished !== true) controller.abort(gone());
        end();
      };
      if (outgoing === undefined) context.req.raw.signal.addEventListener('abort', leave, { once: true });
      else outgoing.once('close', leave);
      const { signal } = controller;
      const abort = (reason: unknown): void => controller.abort(reason);
      return { signal, abort, endsItself: outgoing !== undefined, end };
    },
    get count() {
      return running.size;
    },
    get isDraining() {
      return isDraining;
    },
    drain: () => {
      isDraining = true;
    },
    idle: () =>
      running.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
    abortAll: () => {
      for (const controller of running) controller.abort(gone());
    },
  };
}

const gone = (): HeadgateError => new HeadgateError('cancelled', 'The caller went away.');
