import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { ResearchInput, ResearchReport, ResearchSession } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ResearchSessions, Services } from '../services.ts';
import { modeOf } from './run.ts';
import { startRun } from './session-run.ts';
import type { SourceText } from './source-text.ts';
import { createShelf, notFound, type Shelf } from './session-shelf.ts';
import { statusOf, type SessionRecord } from './session.ts';

export function createResearchSessions(options: {
  folder: string;
  clock: Services['clock'];
}): ResearchSessions {
  const shelf = createShelf(options);
  return { ...lifeOf(shelf), ...viewsOf(shelf) };
}

type Life = 'start' | 'resume' | 'cancel' | 'delete' | 'close';

/** What changes sessions. */
function lifeOf({ files, running, clock, find, all, wire }: Shelf): Pick<ResearchSessions, Life> {
  const launch = async (record: SessionRecord, call: Call, services: Services): Promise<ResearchSession> => {
    if (running.size >= LIMITS.researchRunningMax) throw tooMany();
    const run = startRun(record, call, services, files);
    running.set(record.id, run);
    void run.done.finally(() => {
      if (running.get(record.id) === run) running.delete(record.id);
    });
    await run.saved;
    return wire(record);
  };
  return {
    start: async (input, call, services) => {
      const kept = await all(call);
      const surplus = kept.filter((one) => !running.has(one.id)).slice(LIMITS.researchSessionsMax - 1);
      for (const old of surplus) await files.remove(old.workspace, old.id);
      return launch(newRecord(input, call.caller.workspace ?? '', services), call, services);
    },
    resume: async (id, changes, call, services) => {
      const record = await find(id, call);
      if (statusOf(record, running.has(id), clock.now()) === 'running')
        throw new HeadgateError('in_progress', 'This research is still running.', {
          remediation: 'Ask for its status, or cancel it first.',
        });
      // A run that has just ended may still be writing its last line.
      await running.get(id)?.done;
      await files.drop(record.workspace, id, 'cancel');
      const input = { ...record.input, ...present(changes) };
      return launch({ ...record, input, error: null, timedOut: false, statusChecks: 0 }, call, services);
    },
    cancel: async (id, call) => {
      const record = await find(id, call);
      const live = running.get(id);
      if (live !== undefined) await live.cancel();
      else if (wire(record).status === 'running')
        // Another process runs it; it looks for this file at every beat.
        await files.write(record.workspace, id, 'cancel', true);
      return wire(record);
    },
    delete: async (id, call) => {
      const record = await find(id, call);
      await running.get(id)?.cancel();
      await files.remove(record.workspace, id);
    },
    close: async () => {
      await Promise.all([...running.values()].map((run) => run.interrupt()));
    },
  };
}

/** What only looks at sessions. */
function viewsOf({ files, running, find, all, wire }: Shelf): Omit<ResearchSessions, Life> {
  return {
    status: async (id, call, { counts = false } = {}) => {
      const record = await find(id, call);
      if (counts) {
        record.statusChecks += 1;
        // Who runs a session in another process writes its record; a check must not write over that.
        if (!running.has(id) && wire(record).status !== 'running')
          await files.write(record.workspace, id, 'session.json', record);
      }
      return wire(record);
    },
    report: async (id, call) => {
      const record = await find(id, call);
      const live = running.get(id);
      const report =
        live === undefined ? await files.read(record.workspace, id, 'report.json') : live.draft();
      if (report !== undefined) return report as ResearchReport;
      throw new HeadgateError('not_found', 'Research report not yet generated', {
        remediation: 'Ask for the status, and for the report when it is complete.',
      });
    },
    sources: async (id, call) => {
      const record = await find(id, call);
      const live = running.get(id);
      if (live !== undefined) return live.sources();
      return ((await files.read(record.workspace, id, 'sources.json')) ?? []) as SourceText[];
    },
    list: async ({ cursor, limit }, call) => {
      const records = await all(call);
      const from = cursor === undefined ? 0 : records.findIndex(({ id }) => id === cursor) + 1;
      if (cursor !== undefined && from === 0) throw notFound(cursor);
      const page = records.slice(from, from + limit);
      const last = page.at(-1);
      const isFull = last !== undefined && from + page.length < records.length;
      return { sessions: page.map(wire), ...(isFull ? { next_cursor: last.id } : {}) };
    },
    watch: async function* watch(id, call) {
      const record = await find(id, call);
      const live = running.get(id);
      if (live !== undefined) yield* live.watch(call.signal);
      else yield { type: 'done', session: wire(record), sequence: 1 };
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
    owner: { host: hostname(), pid: process.pid },
  };
}

const present = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

const tooMany = (): HeadgateError =>
  new HeadgateError('rate_limited', `At most ${LIMITS.researchRunningMax} researches run at once.`, {
    remediation: 'Wait until one is done, or cancel one.',
  });
