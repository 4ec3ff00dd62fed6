import type { OwnText } from '../../core/text.ts';
import type { ResearchPhase, ResearchSession } from '../../contract/research.ts';
import { LIMITS } from '../../core/limits.ts';

/** A source as an event names it. */
export interface EventSource {
  title: string;
  url: string;
  favicon?: string;
}

type Event =
  | { type: 'phase'; phase: ResearchPhase; iteration: number }
  | { type: 'plan'; iteration: number; queries: string[] }
  | { type: 'search'; query: string; outcome: string; sources: EventSource[] }
  | { type: 'extract'; asked: number; read: number }
  | { type: 'findings'; findings: number; conflicts: number; gaps: number }
  | { type: 'warning'; message: OwnText }
  | { type: 'done'; session: ResearchSession };

/** Something that happened in a session; `sequence` counts up from 1. */
export type ResearchEvent = Event & { sequence: number };
export type NewEvent = Event;

/** The events of one running session: the latest are kept, so that who comes late hears what was said. */
export interface EventLog {
  emit(event: NewEvent): void;
  /** Yields what is kept and then what comes, and ends with `done`. */
  watch(signal?: AbortSignal): AsyncGenerator<ResearchEvent>;
}

export function createEventLog(): EventLog {
  const kept: ResearchEvent[] = [];
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
      kept.push({ ...event, sequence });
      if (kept.length > LIMITS.researchEventsMax) kept.shift();
      for (const wake of waiting) wake();
    },
    watch: async function* watch(signal) {
      let seen = 0;
      for (;;) {
        signal?.throwIfAborted();
        const next = kept.find((event) => event.sequence > seen);
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
