import type { ResearchSession } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../services.ts';
import { createSessionFiles, isSessionId, type SessionFiles } from './session-files.ts';
import type { Running } from './session-run.ts';
import { statusOf, toWire, type SessionRecord } from './session.ts';

/** Sessions that run here and sessions that stand on disk, for who may see them. */
export interface Shelf {
  files: SessionFiles;
  running: Map<string, Running>;
  clock: Services['clock'];
  find(id: string, call: Call): Promise<SessionRecord>;
  /** The latest first; what is too old is removed. */
  all(call: Call): Promise<SessionRecord[]>;
  wire(record: SessionRecord): ResearchSession;
}

export function createShelf(options: { folder: string; clock: Services['clock'] }): Shelf {
  const { clock } = options;
  const files = createSessionFiles(options.folder);
  const running = new Map<string, Running>();
  const read = async (workspace: string, id: string): Promise<SessionRecord | undefined> => {
    const own = running.get(id)?.record;
    if (own !== undefined) return own.workspace === workspace ? own : undefined;
    return (await files.read(workspace, id, 'session.json')) as SessionRecord | undefined;
  };
  return {
    files,
    running,
    clock,
    find: async (id, call) => {
      const record = isSessionId(id) ? await read(call.caller.workspace ?? '', id) : undefined;
      if (record === undefined || record.expiresAt < clock.now()) throw notFound(id);
      return record;
    },
    all: async (call) => {
      const workspace = call.caller.workspace ?? '';
      const records: SessionRecord[] = [];
      for (const id of (await files.ids(workspace)).slice(0, LIMITS.researchSessionsMax * 2)) {
        const record = await read(workspace, id);
        if (record === undefined) continue;
        if (record.expiresAt < clock.now()) await files.remove(workspace, id);
        else records.push(record);
      }
      return records.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    },
    wire: (record) => toWire(record, statusOf(record, running.has(record.id), clock.now()), clock.now()),
  };
}

export const notFound = (id: string): HeadgateError =>
  new HeadgateError('not_found', `Research session '${id.slice(0, 40)}' not found`, {
    remediation: 'List the sessions to see which there are; they are kept for a day.',
    data: { resource_type: 'Research session', resource_id: id.slice(0, 40) },
  });
