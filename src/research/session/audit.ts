import { newRequestId } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../../operations/services.ts';
import type { NewResearchEvent } from '../../contract/research-event.ts';
import type { Lease } from './session-store.ts';
import type { SessionRecord } from './session.ts';

export interface Audit {
  note(event: NewResearchEvent): void;
  /** Resolves when all events are written. */
  flushed(): Promise<void>;
}

/** Writes the events of a session, one line each, up to a limit. */
export function createAudit(
  record: SessionRecord,
  lease: Pick<Lease, 'note'>,
  { clock, log }: Pick<Services, 'clock' | 'log'>,
): Audit {
  let count = 0;
  let written: Promise<void> = Promise.resolve();
  const note: Audit['note'] = ({ type, ...data }) => {
    count += 1;
    if (count > LIMITS.researchAuditMax) return;
    const line = {
      timestamp: new Date(clock.now()).toISOString(),
      event_id: newRequestId(),
      event_type: type,
      level: type === 'warning' ? 'warning' : 'info',
      research_id: record.id,
      phase: record.phase,
      iteration: record.iteration,
      data,
    };
    written = written
      .then(() => lease.note(line))
      .catch((thrown: unknown) => log.warn('audit_not_written', { research: record.id, cause: thrown }));
  };
  return { note, flushed: () => written };
}
