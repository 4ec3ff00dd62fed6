import type { SessionStore } from './session-store.ts';
import { newestFirst } from './files.ts';
import type { SessionEntry } from './session.ts';

/**
 * The sessions of one home. A gateway keeps them in its database, and commands and programs without one in the data folder: each
 * creates its own, and finds and lists those of the other.
 */
export function createHomeSessions(
  own: SessionStore,
  openOther: () => Promise<SessionStore | undefined>,
): SessionStore {
  const placeOf = async (workspace: string, id: string): Promise<SessionStore> =>
    (await own.find(workspace, id)) === undefined ? ((await openOther()) ?? own) : own;
  return {
    create: (...given) => own.create(...given),
    ...(own.takeOver === undefined ? {} : { takeOver: own.takeOver }),
    prune: (workspace) => own.prune(workspace),
    claim: async (record, caller) => (await placeOf(record.workspace, record.id)).claim(record, caller),
    find: async (workspace, id) =>
      (await own.find(workspace, id)) ?? (await openOther())?.find(workspace, id),
    list: async (workspace, options) => {
      const other = await openOther();
      const lists = [await own.list(workspace, options), (await other?.list(workspace, options)) ?? []];
      const all = lists.flat().sort((a, b) => newestFirst(a.record, b.record));
      return all.slice(0, options.limit);
    },
    check: async (entry: SessionEntry) =>
      (await placeOf(entry.record.workspace, entry.record.id)).check(entry),
    cancel: async (workspace, id) => (await placeOf(workspace, id)).cancel(workspace, id),
    remove: async (workspace, id) => (await placeOf(workspace, id)).remove(workspace, id),
    read: async (workspace, id, name) => (await placeOf(workspace, id)).read(workspace, id, name),
    audit: async (workspace, id, after) => (await placeOf(workspace, id)).audit(workspace, id, after),
  };
}
