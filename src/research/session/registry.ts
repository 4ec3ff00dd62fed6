import type { ResearchSession } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { isSessionId, type SessionStore } from './session-store.ts';
import type { LiveSession } from './live-session.ts';
import { sessionStatusOf, toWire, type SessionEntry } from './session.ts';

/** Running and stored sessions, limited to what the caller may see. */
export interface SessionRegistry {
  store: SessionStore;
  running: Map<string, LiveSession>;
  clock: Clock;
  find(id: string, call: Call): Promise<SessionEntry>;
  wire(entry: SessionEntry): ResearchSession;
}

export const workspaceOf = (call: Call): string => call.caller.workspace ?? '';

export function createRegistry({ store, clock }: { store: SessionStore; clock: Clock }): SessionRegistry {
  const live = new Map<string, LiveSession>();
  const read = async (workspace: string, id: string): Promise<SessionEntry | undefined> => {
    const own = live.get(id)?.record;
    if (own === undefined) return store.find(workspace, id);
    return own.workspace === workspace ? { record: own, isHeld: true } : undefined;
  };
  return {
    store,
    running: live,
    clock,
    find: async (id, call) => {
      const entry = isSessionId(id) ? await read(workspaceOf(call), id) : undefined;
      if (entry === undefined || entry.record.expiresAt < clock.now()) throw notFound(id);
      return entry;
    },
    wire: (entry) => toWire(entry.record, sessionStatusOf(entry), clock.now()),
  };
}

export const notFound = (id: string): HeadgateError =>
  new HeadgateError('not_found', own`Research session '${named(id.slice(0, 40))}' not found`, {
    remediation: 'List the sessions to see which there are; they are kept for a day.',
    data: { resource_type: 'Research session', resource_id: id.slice(0, 40) },
  });
