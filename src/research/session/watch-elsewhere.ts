import type { Call } from '../../core/call.ts';
import { LIMITS } from '../../core/limits.ts';
import type { NewResearchEvent, ResearchEvent } from '../../contract/research-event.ts';
import type { AuditLine } from './session-store.ts';
import type { SessionRegistry } from './registry.ts';
import { sessionStatusOf } from './session.ts';

/**
 * The events of a session that another process runs, read from its audit lines; of a stopped one only the
 * end.
 */
export async function* watchElsewhere(
  id: string,
  call: Call,
  { store, find, wire, clock }: SessionRegistry,
  from: number,
): AsyncGenerator<ResearchEvent> {
  let sequence = from;
  let seen = 0;
  for (;;) {
    const entry = await find(id, call);
    const status = sessionStatusOf(entry);
    // One that stops is about to be released, and taken over.
    const isRunning = status === 'running' || (status === 'interrupted' && entry.isHeld);
    const lines = isRunning || seen > 0 ? await store.audit(entry.record.workspace, id, seen) : [];
    const events = (seen === 0 ? latestRun(lines) : lines).map(({ line }) => toEvent(line));
    seen = lines.at(-1)?.seq ?? seen;
    for (const event of events) if (event.type !== 'done') yield { ...event, sequence: ++sequence };
    if (!isRunning) {
      yield { type: 'done', session: wire(entry), sequence: ++sequence };
      return;
    }
    await clock.sleep(LIMITS.researchWatchMs, call.signal);
  }
}

/** The lines since the session was last resumed. */
const latestRun = (lines: AuditLine[]): AuditLine[] =>
  lines.slice(lines.findLastIndex(({ line }) => toEvent(line).type === 'done') + 1);

function toEvent(line: unknown): NewResearchEvent {
  const { event_type: type, data } = line as { event_type: string; data: object };
  return { type, ...data } as NewResearchEvent;
}
