import type { Call } from '../../../core/call.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { NewEvent, ResearchEvent } from '../events.ts';
import type { AuditLine } from './keep.ts';
import type { Shelf } from './shelf.ts';
import { statusOf } from './session.ts';

/**
 * The events of a session that another process runs, read from its audit lines; of a stopped one only the
 * end.
 */
export async function* watchElsewhere(
  id: string,
  call: Call,
  { keep, find, wire, clock }: Shelf,
): AsyncGenerator<ResearchEvent> {
  let sequence = 0;
  let seen = 0;
  for (;;) {
    const kept = await find(id, call);
    const isRunning = statusOf(kept) === 'running';
    const lines = isRunning || seen > 0 ? await keep.audit(kept.record.workspace, id, seen) : [];
    const events = (seen === 0 ? latestRun(lines) : lines).map(({ line }) => toEvent(line));
    seen = lines.at(-1)?.seq ?? seen;
    for (const event of events) if (event.type !== 'done') yield { ...event, sequence: ++sequence };
    if (!isRunning) {
      yield { type: 'done', session: wire(kept), sequence: ++sequence };
      return;
    }
    await clock.sleep(LIMITS.researchWatchMs, call.signal);
  }
}

/** The lines since the session was last resumed. */
const latestRun = (lines: AuditLine[]): AuditLine[] =>
  lines.slice(lines.findLastIndex(({ line }) => toEvent(line).type === 'done') + 1);

function toEvent(line: unknown): NewEvent {
  const { event_type: type, data } = line as { event_type: string; data: object };
  return { type, ...data } as NewEvent;
}
