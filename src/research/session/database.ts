import type { Clock } from '../../core/clock.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import type { Holder, ResearchEnd, ResearchStore, StoredSession } from '../../store/research-sessions.ts';
import { createJournal } from './journal.ts';
import type { Lease, SessionStore } from './session-store.ts';
import type { SessionEntry, SessionRecord } from './session.ts';

export interface DatabaseKeepOptions {
  store: ResearchStore;
  clock: Clock;
  log: Logger;
  leaseMs?: number;
}

/** Stores sessions in the database: every gateway on it sees them, and one at a time runs each. */
export function createDatabaseSessions(options: DatabaseKeepOptions): SessionStore {
  const { store, clock, leaseMs = LIMITS.researchLeaseMs } = options;
  const holderOf = (id: string): Holder => ({ id, owner: newNonce() });
  return {
    create: async (record, from) => {
      const holder = holderOf(record.id);
      const { workspace, createdAt: created, expiresAt: expires } = record;
      // A caller who waits is gone with the gateway.
      const caller = record.input.background === true ? from : undefined;
      const row = { ...holder, workspace, record: JSON.stringify(record), created, expires, caller };
      await store.insert(row, leaseMs);
      return leaseOf(holder, options);
    },
    claim: async ({ workspace, id }, caller) => {
      const holder = holderOf(id);
      const isOurs = await store.claim(workspace, holder, leaseMs, caller);
      return isOurs ? leaseOf(holder, options) : undefined;
    },
    takeOver: async (max) => {
      const taken = await store.takeOver(newNonce(), leaseMs, max);
      return taken.map(({ record, id, owner, ...rest }) => ({
        ...rest,
        record: JSON.parse(record) as SessionRecord,
        lease: leaseOf({ id, owner }, options),
      }));
    },
    find: async (workspace, id) => {
      const stored = await store.find(workspace, id);
      return stored === undefined ? undefined : toKept(stored);
    },
    list: async (workspace, { after, limit }) => {
      const from = after === undefined ? undefined : { created: after.createdAt, id: after.id };
      const stored = await store.list(workspace, { after: from, limit });
      return stored.map(toKept).filter(({ record }) => record.expiresAt >= clock.now());
    },
    check: ({ record }) => store.check(record.workspace, record.id),
    cancel: (workspace, id) => store.cancel(workspace, id),
    remove: (workspace, id) => store.remove(workspace, id),
    prune: (workspace) =>
      store.prune(workspace, { now: clock.now(), keepMax: LIMITS.researchSessionsMax - 1 }),
    read: async (_workspace, id, name) => {
      const value = await store.read(id, name);
      return value === undefined ? undefined : (JSON.parse(value) as unknown);
    },
    audit: async (_workspace, id, after) => {
      const lines = await store.linesAfter(id, 'audit', after, LIMITS.storeRowsMax);
      return lines.map(({ seq, value }) => ({ seq, line: JSON.parse(value) as unknown }));
    },
  };
}

const toKept = ({ record, checks, ...rest }: StoredSession): SessionEntry => ({
  record: { ...(JSON.parse(record) as SessionRecord), statusChecks: checks },
  ...rest,
});

/** What is reported of a run that is over. One that was interrupted goes on, and one that was cancelled surprises nobody. */
function endOf(record: SessionRecord): ResearchEnd | undefined {
  const { status, workspace, startedAt: began, updatedAt: at, counts, credits, tokens } = record;
  if (status !== 'completed' && status !== 'failed') return undefined;
  const { sources, findings } = counts;
  const data = { status, code: record.errorCode ?? null, sources, findings, credits, tokens };
  return { workspace, began, at, data: { ...data, seconds: Math.round(record.elapsedMs / 1_000) } };
}

function leaseOf(
  holder: Holder,
  { store, log, leaseMs = LIMITS.researchLeaseMs }: DatabaseKeepOptions,
): Lease {
  return {
    save: (record) => store.save(holder, JSON.stringify(record), endOf(record)),
    write: (name, value) => store.write(holder, name, JSON.stringify(value)),
    note: (line) => store.append(holder, 'audit', '', JSON.stringify(line)),
    openJournal: async () => {
      const known = new Set(await store.keys(holder.id, 'step'));
      const take = async (key: string): Promise<{ value: unknown } | undefined> => {
        const value = known.has(key) ? await store.lineOf(holder.id, 'step', key) : undefined;
        return value === undefined ? undefined : { value: JSON.parse(value) as unknown };
      };
      const save = (key: string, value: unknown): Promise<void> =>
        store.append(holder, 'step', key, JSON.stringify(value));
      return createJournal({ take, save }, (cause) => log.warn('step_not_saved', { cause }));
    },
    renew: () => store.renew(holder, leaseMs),
    release: (isLeft) => store.release(holder, isLeft),
  };
}
