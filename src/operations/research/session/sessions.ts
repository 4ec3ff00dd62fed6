import { randomBytes } from 'node:crypto';
import type { ResearchInput, ResearchReport, ResearchSession } from '../../../contract/research.ts';
import type { Call } from '../../../core/call.ts';
import type { Clock } from '../../../core/clock.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { newNonce } from '../../../core/ids.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { ResearchSessions, Services } from '../../services.ts';
import { modeOf } from '../run.ts';
import type { Lease, SessionKeep } from './keep.ts';
import { startRun } from './running.ts';
import { createShelf, workspaceOf, type Shelf } from './shelf.ts';
import type { SessionRecord } from './session.ts';
import type { SourceText } from '../text/source-text.ts';
import { watchElsewhere } from './watch-elsewhere.ts';

export function createResearchSessions(options: { keep: SessionKeep; clock: Clock }): ResearchSessions {
  const shelf = createShelf(options);
  return { ...beginningsOf(shelf), ...endingsOf(shelf), ...viewsOf(shelf) };
}

type Beginnings = 'start' | 'resume' | 'revive';
type Endings = 'cancel' | 'delete' | 'close';

/** What makes sessions run. */
function beginningsOf({ keep, running, find, wire }: Shelf): Pick<ResearchSessions, Beginnings> {
  const launch = (record: SessionRecord, lease: Lease, call: Call, services: Services): ResearchSession => {
    const run = startRun(record, call, services, lease);
    running.set(record.id, run);
    void run.done.finally(() => {
      if (running.get(record.id) === run) running.delete(record.id);
    });
    return wire({ record, isHeld: true });
  };
  const relaunch = (record: SessionRecord, lease: Lease, call: Call, services: Services): ResearchSession =>
    launch(
      { ...record, error: null, errorCode: null, timedOut: false, statusChecks: 0 },
      lease,
      call,
      services,
    );
  return {
    start: async (input, call, services) => {
      if (running.size >= LIMITS.researchRunningMax) throw tooMany();
      const record = newRecord(input, workspaceOf(call), services);
      await keep.prune(record.workspace);
      return launch(record, await keep.create(record), call, services);
    },
    resume: async (id, changes, call, services) => {
      if (running.size >= LIMITS.researchRunningMax) throw tooMany();
      const { record } = await find(id, call);
      const live = running.get(id);
      if (live !== undefined && live.record.status === 'running') throw stillRunning();
      // A run that has just ended may still be writing its last line.
      await live?.done;
      const lease = await keep.claim(record);
      if (lease === undefined) throw stillRunning();
      const input = { ...record.input, ...present(changes) };
      return relaunch({ ...record, input }, lease, call, services);
    },
    revive: async (id, call, services) => {
      const kept = await find(id, call);
      const { takeovers } = kept.record;
      const isLeft = wire(kept).status === 'interrupted' && takeovers < LIMITS.researchTakeoversMax;
      if (!isLeft || running.has(id) || running.size >= LIMITS.researchRunningMax) return wire(kept);
      const lease = await keep.claim(kept.record);
      if (lease === undefined) return wire({ ...kept, isHeld: true });
      return relaunch({ ...kept.record, takeovers: takeovers + 1 }, lease, call, services);
    },
  };
}

/** What ends sessions. */
function endingsOf({ keep, running, find, wire }: Shelf): Pick<ResearchSessions, Endings> {
  return {
    cancel: async (id, call) => {
      const kept = await find(id, call);
      const live = running.get(id);
      if (live !== undefined) await live.cancel();
      else if (wire(kept).status === 'running') await keep.cancel(kept.record.workspace, id);
      return wire(kept);
    },
    delete: async (id, call) => {
      const { record } = await find(id, call);
      await running.get(id)?.cancel();
      await keep.remove(record.workspace, id);
    },
    close: async () => {
      await Promise.all([...running.values()].map((run) => run.interrupt()));
    },
  };
}

/** What only looks at sessions. */
function viewsOf(shelf: Shelf): Omit<ResearchSessions, Beginnings | Endings> {
  const { keep, running, find, wire } = shelf;
  return {
    status: async (id, call, { counts = false } = {}) => {
      const kept = await find(id, call);
      const live = running.get(id);
      if (counts && live?.record.status === 'running') kept.record.statusChecks += 1;
      else if (counts) {
        // A run that has just ended may still be writing its last line.
        await live?.done;
        kept.record.statusChecks = await keep.check({ ...kept, isHeld: live === undefined && kept.isHeld });
      }
      return wire(kept);
    },
    report: async (id, call) => {
      const { record } = await find(id, call);
      const live = running.get(id);
      const report = live === undefined ? await keep.read(record.workspace, id, 'report') : live.draft();
      if (report !== undefined) return report as ResearchReport;
      throw new HeadgateError('not_found', 'Research report not yet generated', {
        remediation: 'Ask for the status, and for the report when it is complete.',
      });
    },
    sources: async (id, call) => {
      const { record } = await find(id, call);
      const live = running.get(id);
      if (live !== undefined) return live.sources();
      return ((await keep.read(record.workspace, id, 'sources')) ?? []) as SourceText[];
    },
    list: async ({ cursor, limit }, call) => {
      const workspace = workspaceOf(call);
      const after = cursor === undefined ? undefined : (await find(cursor, call)).record;
      const page = await keep.list(workspace, { after, limit: limit + 1 });
      const shown = page.slice(0, limit).map((kept) => {
        const own = running.get(kept.record.id)?.record;
        return own === undefined ? kept : { record: own, isHeld: true };
      });
      const last = shown.at(-1);
      const isFull = page.length > limit && last !== undefined;
      return { sessions: shown.map(wire), ...(isFull ? { next_cursor: last.record.id } : {}) };
    },
    watch: async function* watch(id, call) {
      await find(id, call);
      const live = running.get(id);
      yield* live === undefined ? watchElsewhere(id, call, shelf) : live.watch(call.signal);
    },
  };
}

function newRecord(input: ResearchInput, workspace: string, services: Services): SessionRecord {
  const now = services.clock.now();
  return {
    version: 1,
    id: `deepres-${randomBytes(6).toString('hex')}`,
    workspace,
    input,
    mode: modeOf(input, services),
    nonce: newNonce(),
    status: 'running',
    phase: 'planning',
    iteration: 1,
    counts: { subQueries: 0, asked: 0, sources: 0, findings: 0, gaps: 0 },
    tokens: 0,
    credits: 0,
    error: null,
    timedOut: false,
    statusChecks: 0,
    createdAt: now,
    updatedAt: now,
    elapsedMs: 0,
    startedAt: now,
    expiresAt: now + LIMITS.researchTtlMs,
    takeovers: 0,
  };
}

const present = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

const stillRunning = (): HeadgateError =>
  new HeadgateError('in_progress', 'This research is still running.', {
    remediation: 'Ask for its status, or cancel it first.',
  });

const tooMany = (): HeadgateError =>
  new HeadgateError('rate_limited', `At most ${LIMITS.researchRunningMax} researches run at once.`, {
    remediation: 'Wait until one is done, or cancel one.',
  });
