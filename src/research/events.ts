import type { NewResearchEvent, ResearchEvent } from '../contract/research-event.ts';
import { LIMITS } from '../core/limits.ts';

/** The events of a running session. The latest are buffered for late subscribers. */
export interface EventLog {
  emit(event: NewResearchEvent): void;
  /** Yields the buffered events, then new ones, and ends with `done`. */
  watch(signal?: AbortSignal): AsyncGenerator<ResearchEvent>;
}

export function createEventLog(): EventLog {
  const entry: ResearchEvent[] = [];
  const waiting = new Set<() => void>();
  let sequence = 0;
  const nextEvent = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  return {
    emit: (event) => {
      sequence += 1;
      entry.push({ ...event, sequence });
      if (entry.length > LIMITS.researchEventsMax) entry.shift();
      for (const wake of waiting) wake();
    },
    watch: async function* watch(signal) {
      let seen = 0;
      for (;;) {
        signal?.throwIfAborted();
        const next = entry.find((event) => event.sequence > seen);
        if (next === undefined) {
          await nextEvent(signal);
          continue;
        }
        seen = next.sequence;
        yield next;
        if (next.type === 'done') return;
      }
    },
  };
}
