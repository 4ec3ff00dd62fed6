import type { Ctx } from '../../routing/services.ts';
import type { ResearchInput, ResearchReport, ResearchSession } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Policy } from '../../core/gate.ts';
import { callNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { currentScope } from '../../core/scope.ts';
import type { ResearchSessions, Services } from '../../operations/services.ts';
import { fitReport } from '../report/fit-report.ts';
import { modeOf } from '../run.ts';
import type { Lease, SessionStore } from './session-store.ts';
import { startRun } from './live-session.ts';
import { createRegistry, workspaceOf, type SessionRegistry } from './registry.ts';
import { sha256 } from '../state.ts';
import type { SessionRecord } from './session.ts';
import { takeOverUntil } from './take-over.ts';
import type { SourceText } from '../../evidence/quote.ts';
import { watchElsewhere } from './watch-elsewhere.ts';

export function createResearchSessions(options: { store: SessionStore; clock: Clock }): ResearchSessions {
  const registry = createRegistry(options);
  return { ...beginningsOf(registry), ...endingsOf(registry), ...viewsOf(registry) };
}

type Beginnings = 'start' | 'resume' | 'revive' | 'workUntil';
type Endings = 'cancel' | 'delete' | 'close';

/** Starting and resuming. */
function beginningsOf(registry: SessionRegistry): Pick<ResearchSessions, Beginnings> {
  const { store, running, find, wire } = registry;
  const launch = (record: SessionRecord, lease: Lease, ctx: Ctx<Services>): ResearchSession => {
    const run = startRun(record, ctx, lease);
    running.set(record.id, run);
    void run.done.finally(() => {
      if (running.get(record.id) === run) running.delete(record.id);
    });
    return wire({ record, isHeld: true });
  };
  const relaunch = (
    record: SessionRecord,
    lease: Lease,
    { call, services }: Ctx<Services>,
  ): ResearchSession =>
    launch({ ...record, error: null, errorCode: null, timedOut: false, statusChecks: 0 }, lease, {
      call,
      services,
    });
  return {
    start: async (input, { call, services }) => {
      if (running.size >= LIMITS.researchRunningMax) throw tooMany();
      const record = newRecord(input, call, services);
      await store.prune(record.workspace);
      // The same run was replayed before.
      if (currentScope() !== undefined) await store.remove(record.workspace, record.id);
      return launch(record, await store.create(record, call.caller), { call, services });
    },
    resume: async (id, changes, { call, services }) => {
      if (running.size >= LIMITS.researchRunningMax) throw tooMany();
      const { record } = await find(id, call);
      const live = running.get(id);
      if (live !== undefined && live.record.status === 'running') throw stillRunning();
      // A run that has just ended may still be writing.
      await live?.done;
      const policy = narrowed(record, call);
      const lease = await store.claim(record, call.caller);
      if (lease === undefined) throw stillRunning();
      const input = { ...record.input, ...present(changes) };
      return relaunch({ ...record, ...policy, input }, lease, { call, services });
    },
    revive: async (id, { call, services }) => {
      const entry = await find(id, call);
      const { takeovers } = entry.record;
      const isLeft = wire(entry).status === 'interrupted' && takeovers < LIMITS.researchTakeoversMax;
      if (!isLeft || running.has(id) || running.size >= LIMITS.researchRunningMax) return wire(entry);
      const policy = narrowed(entry.record, call);
      const lease = await store.claim(entry.record, call.caller);
      if (lease === undefined) return wire({ ...entry, isHeld: true });
      return relaunch({ ...entry.record, ...policy, takeovers: takeovers + 1 }, lease, { call, services });
    },
    workUntil: (signal, services) =>
      takeOverUntil(signal, registry, services, async (left, ctx) => {
        // A run here that lost its lease unnoticed.
        await running.get(left.record.id)?.interrupt();
        relaunch(left.record, left.lease, ctx);
      }),
  };
}

/** Cancelling, deleting and closing. */
function endingsOf({ store, running, find, wire }: SessionRegistry): Pick<ResearchSessions, Endings> {
  return {
    cancel: async (id, call) => {
      const entry = await find(id, call);
      const live = running.get(id);
      if (live !== undefined) await live.cancel();
      else if (wire(entry).status === 'running') await store.cancel(entry.record.workspace, id);
      return wire(entry);
    },
    delete: async (id, call) => {
      const { record } = await find(id, call);
      await running.get(id)?.cancel();
      await store.remove(record.workspace, id);
    },
    close: async () => {
      await Promise.all([...running.values()].map((run) => run.interrupt()));
    },
  };
}

/** Status, reports, lists and events. */
function viewsOf(registry: SessionRegistry): Omit<ResearchSessions, Beginnings | Endings> {
  const { store, running, find, wire } = registry;
  return {
    status: async (id, call, { counts = false } = {}) => {
      const entry = await find(id, call);
      const live = running.get(id);
      if (counts && live?.record.status === 'running') entry.record.statusChecks += 1;
      else if (counts) {
        // A run that has just ended may still be writing.
        await live?.done;
        entry.record.statusChecks = await store.check({
          ...entry,
          isHeld: live === undefined && entry.isHeld,
        });
      }
      return wire(entry);
    },
    report: async (id, call) => {
      const { record } = await find(id, call);
      const live = running.get(id);
      const report = live === undefined ? await store.read(record.workspace, id, 'report') : live.draft();
      if (report !== undefined) {
        refuseDenied((report as ResearchReport).sources, call);
        return withinTokens(report as ResearchReport, record.input);
      }
      throw new HeadgateError('not_found', 'Research report not yet generated', {
        remediation: 'Ask for the status, and for the report when it is complete.',
      });
    },
    sources: async (id, call) => {
      const { record } = await find(id, call);
      const live = running.get(id);
      const stored = live === undefined ? await store.read(record.workspace, id, 'sources') : live.sources();
      const texts = (stored ?? []) as SourceText[];
      refuseDenied(texts, call);
      return texts;
    },
    list: async ({ cursor, limit }, call) => {
      const workspace = workspaceOf(call);
      const after = cursor === undefined ? undefined : (await find(cursor, call)).record;
      const page = await store.list(workspace, { after, limit: limit + 1 });
      const shown = page.slice(0, limit).map((entry) => {
        const own = running.get(entry.record.id)?.record;
        return own === undefined ? entry : { record: own, isHeld: true };
      });
      const last = shown.at(-1);
      const isFull = page.length > limit && last !== undefined;
      return { sessions: shown.map(wire), ...(isFull ? { next_cursor: last.record.id } : {}) };
    },
    watch: async function* watch(id, call) {
      await find(id, call);
      const live = running.get(id);
      let sequence = 0;
      for await (const event of live?.watch(call.signal) ?? []) {
        ({ sequence } = event);
        if (event.type === 'done') await live?.done;
        // Another gateway may have taken over.
        if (event.type === 'done' && wire(await find(id, call)).status === 'running') break;
        yield event;
        if (event.type === 'done') return;
      }
      yield* watchElsewhere(id, call, registry, sequence);
    },
  };
}

/** The report with its Markdown in the token budget of the research, if it has one. */
async function withinTokens(
  report: ResearchReport,
  { output_tokens: tokensMax, citation_format: format }: ResearchInput,
): Promise<ResearchReport> {
  if (tokensMax === undefined) return report;
  return { ...report, markdown: await fitReport(report, { tokensMax, format }) };
}

const POLICIES_MAX = 8;

/** The rules for a session: those that it was started with, and those of whoever resumes it. */
function narrowed(
  { policy = [] }: Pick<SessionRecord, 'policy'>,
  { caller }: Call,
): Pick<SessionRecord, 'policy'> {
  const all = [...policy, ...(caller.policy ?? [])].map((one) => JSON.stringify(one));
  const distinct = [...new Set(all)].map((text) => JSON.parse(text) as Policy);
  if (distinct.length > POLICIES_MAX)
    throw new HeadgateError('invalid_request', 'Too many callers have set rules for this research.', {
      remediation: 'Start it again, with the rules of this call alone.',
    });
  return distinct.length === 0 ? {} : { policy: distinct };
}

/** What was found before a rule was set is not handed over under it. */
function refuseDenied(sources: readonly { url: string }[], { gate }: Call): void {
  for (const source of sources) {
    const url = URL.parse(source.url);
    if (url !== null) gate?.check({ kind: 'result', url });
  }
}

function newRecord(input: ResearchInput, call: Call, services: Services): SessionRecord {
  const now = services.clock.now();
  const nonce = callNonce();
  return {
    version: 1,
    id: `deepres-${sha256(nonce).slice(0, 12)}`,
    workspace: workspaceOf(call),
    input,
    ...narrowed({}, call),
    mode: modeOf(input, services),
    nonce,
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
  new HeadgateError('rate_limited', `At most ${LIMITS.researchRunningMax} research sessions run at once.`, {
    remediation: 'Wait until one is done, or cancel one.',
  });
