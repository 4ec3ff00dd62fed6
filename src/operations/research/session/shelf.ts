import type { ResearchSession } from '../../../contract/research.ts';
import type { Call } from '../../../core/call.ts';
import type { Clock } from '../../../core/clock.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { named, own } from '../../../core/own-text.ts';
import { isSessionId, type SessionKeep } from './keep.ts';
import type { Running } from './running.ts';
import { statusOf, toWire, type Kept } from './session.ts';

/** Running and stored sessions, limited to what the caller may see. */
export interface Shelf {
  keep: SessionKeep;
  running: Map<string, Running>;
  clock: Clock;
  find(id: string, call: Call): Promise<Kept>;
  wire(kept: Kept): ResearchSession;
}

export const workspaceOf = (call: Call): string => call.caller.workspace ?? '';

export function createShelf({ keep, clock }: { keep: SessionKeep; clock: Clock }): Shelf {
  const running = new Map<string, Running>();
  const read = async (workspace: string, id: string): Promise<Kept | undefined> => {
    const own = running.get(id)?.record;
    if (own === undefined) return keep.find(workspace, id);
    return own.workspace === workspace ? { record: own, isHeld: true } : undefined;
  };
  return {
    keep,
    running,
    clock,
    find: async (id, call) => {
      const kept = isSessionId(id) ? await read(workspaceOf(call), id) : undefined;
      if (kept === undefined || kept.record.expiresAt < clock.now()) throw notFound(id);
      return kept;
    },
    wire: (kept) => toWire(kept.record, statusOf(kept), clock.now()),
  };
}

export const notFound = (id: string): HeadgateError =>
  new HeadgateError('not_found', own`Research session '${named(id.slice(0, 40))}' not found`, {
    remediation: 'List the sessions to see which there are; they are kept for a day.',
    data: { resource_type: 'Research session', resource_id: id.slice(0, 40) },
  });
