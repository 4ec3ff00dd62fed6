import type { Ctx } from '../../routing/services.ts';
import type { ResearchReport } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { withinTime } from '../../core/deadline.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../../operations/services.ts';
import { createAudit } from './audit.ts';
import { createBudget, type Budget } from '../budget.ts';
import type { NewResearchEvent, ResearchEvent } from '../../contract/research-event.ts';
import { createEventLog } from '../events.ts';
import { buildReport } from '../report/report.ts';
import { parametersOf, type RunContext } from '../run.ts';
import { CLIENT_MODEL, runModel } from '../model/run-model.ts';
import type { Journal } from './journal.ts';
import type { Lease } from './session-store.ts';
import { toWire, type SessionRecord } from './session.ts';
import type { SourceText } from '../../evidence/quote.ts';
import { createState, type ResearchState } from '../state.ts';
import { runWorkflow } from '../workflow.ts';

/** A session that this process runs. */
export interface LiveSession {
  record: SessionRecord;
  /** Resolves when it is over; never rejects. */
  done: Promise<void>;
  cancel(): Promise<void>;
  interrupt(): Promise<void>;
  /** The report so far, if there is anything to report. */
  draft(): ResearchReport | undefined;
  sources(): SourceText[];
  watch(signal?: AbortSignal): AsyncGenerator<ResearchEvent>;
}

type End = 'cancelled' | 'interrupted' | 'lost';

/**
 * Runs a session in the background. It always ends with a saved status and, if anything was found, a report.
 */
export function startRun(
  record: SessionRecord,
  { call, services }: Ctx<Services>,
  lease: Lease,
): LiveSession {
  const { clock } = services;
  const stop = new AbortController();
  const events = createEventLog();
  const audit = createAudit(record, lease, services);
  const state = createState(record.input);
  const budget = createBudget({ creditsMax: record.input.max_credits, tokensMax: record.input.max_tokens });
  Object.assign(record, { status: 'running', startedAt: clock.now() });
  let saving: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    update(record, state, budget, clock.now());
    saving = saving.catch(() => undefined).then(() => lease.save(record));
    return saving;
  };
  const emit = (event: NewResearchEvent): void => {
    events.emit(event);
    audit.note(event);
  };
  const draft = (): ResearchReport | undefined =>
    state.subQueries.length === 0 && state.failed.length === 0
      ? undefined
      : reportOf(record, state, services);
  const parts = { record, call, services, lease, stop, state, budget, emit, save };
  const done = runAndFile(parts, draft)
    .then(() => audit.flushed())
    .then(() => lease.release(record.status === 'interrupted'))
    // The lease then expires by itself.
    .catch((cause: unknown) => services.log.warn('research_not_released', { research: record.id, cause }));
  const end = async (reason: End): Promise<void> => {
    stop.abort(reason);
    await done;
  };
  return {
    record,
    done,
    cancel: () => end('cancelled'),
    interrupt: () => end('interrupted'),
    draft,
    sources: () => textsOf(state),
    watch: (signal) => events.watch(signal),
  };
}

interface SessionDeps {
  record: SessionRecord;
  call: Call;
  services: Services;
  lease: Lease;
  stop: AbortController;
  state: ResearchState;
  budget: Budget;
  emit(event: NewResearchEvent): void;
  save(): Promise<void>;
}

/** Runs, then saves the results, then the status, then notifies. */
async function runAndFile(parts: SessionDeps, draft: () => ResearchReport | undefined): Promise<void> {
  const { record, services, state, lease } = parts;
  const { status, error, code = null } = await runToEnd(parts);
  await writeResults(state, draft(), lease).catch((thrown: unknown) => {
    services.log.error('research_not_saved', { research: record.id, cause: thrown });
  });
  record.elapsedMs += services.clock.now() - record.startedAt;
  record.error = error;
  record.errorCode = code;
  if (status === 'completed') record.phase = 'done';
  record.status = status;
  await parts.save().catch(() => undefined);
  parts.emit({ type: 'done', session: toWire(record, status, services.clock.now()) });
}

type Ended = Pick<SessionRecord, 'status' | 'error'> & { code?: string };

async function runToEnd(parts: SessionDeps): Promise<Ended> {
  const { record, services, lease, stop, state } = parts;
  const renewing = renewLease(parts);
  try {
    await parts.save();
    const journal = fenced(await lease.openJournal(), stop, renewing.isOld);
    await withinTime(stop.signal, record.input.timeout * 1_000, services.clock, (signal) =>
      runWorkflow(toRun(parts, journal, signal)),
    );
    const failed = state.sources.length === 0 ? state.failed.filter(({ step }) => step === 'search') : [];
    const [lost] = failed;
    const isOneClass = failed.every(({ code }) => code === lost?.code);
    return lost === undefined
      ? { status: 'completed', error: null }
      : { status: 'failed', error: lost.message, ...(isOneClass ? { code: lost.code } : {}) };
  } catch (thrown) {
    if (stop.signal.aborted) return { status: endedBy(stop.signal), error: null };
    const error = HeadgateError.from(thrown);
    services.log.error('research_failed', { research: record.id, code: error.code, cause: error.cause });
    return { status: 'failed', error: error.explanation, code: error.code };
  } finally {
    renewing.over.abort();
  }
}

/** Begins no step, which may cost something, that another process may have begun. */
const fenced = (journal: Journal, stop: AbortController, isOld: () => boolean): Journal => ({
  step: (kind, parts, work) =>
    journal.step(kind, parts, async () => {
      if (isOld()) stop.abort('lost' satisfies End);
      stop.signal.throwIfAborted();
      return work();
    }),
});

function toRun(parts: SessionDeps, journal: RunContext['journal'], signal: AbortSignal): RunContext {
  const { record, call, services, stop, state, budget } = parts;
  return {
    input: record.input,
    mode: record.mode,
    parameters: parametersOf({ ...record.input, mode: record.mode }, services),
    state,
    journal,
    budget,
    services,
    nonce: record.nonce,
    cancelled: stop.signal,
    signal,
    deadline: services.clock.now() + record.input.timeout * 1_000,
    caller: { ...call.caller, ...(record.policy === undefined ? {} : { policy: record.policy }) },
    model: runModel(record.input, call, services),
    emit: parts.emit,
    enter: (phase) => {
      stop.signal.throwIfAborted();
      record.phase = phase;
      parts.emit({ type: 'phase', phase, iteration: state.iteration });
      void parts.save().catch(() => undefined);
    },
  };
}

/** A session that was taken over only stops; its writes have no effect. */
function endedBy(signal: AbortSignal): SessionRecord['status'] {
  const reason = signal.reason as End;
  return reason === 'lost' ? 'interrupted' : reason;
}

/** Renews the lease regularly, and stops when the session was cancelled or taken over. */
function renewLease({ record, services, lease, stop, save }: SessionDeps): {
  over: AbortController;
  isOld(): boolean;
} {
  const over = new AbortController();
  const { clock, log } = services;
  let renewedAt = clock.monotonic();
  // A process that cannot renew must stop before another may start.
  const isOld = (): boolean =>
    clock.monotonic() > renewedAt + LIMITS.researchLeaseMs - LIMITS.researchLeaseMarginMs;
  const renew = async (): Promise<'held' | 'cancelled' | 'lost'> => {
    try {
      const from = clock.monotonic();
      const state = await lease.renew();
      renewedAt = from;
      return state;
    } catch (cause) {
      log.warn('research_lease_not_renewed', { research: record.id, cause });
      return isOld() ? 'lost' : 'held';
    }
  };
  const loop = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(LIMITS.researchBeatMs, over.signal);
      const state = await renew();
      if (state === 'held') await save().catch(() => undefined);
      else stop.abort(state satisfies End);
    }
  };
  loop().catch(() => undefined);
  return { over, isOld };
}

function update(record: SessionRecord, state: ResearchState, budget: Budget, now: number): void {
  record.updatedAt = now;
  record.iteration = state.iteration;
  record.tokens = budget.tokens;
  record.credits = budget.credits;
  record.timedOut = state.stop === 'deadline';
  const failed = state.failed.filter(({ step }) => step === 'search').length;
  record.counts = {
    subQueries: state.subQueries.length,
    asked: Math.max(0, state.subQueries.length - failed),
    sources: state.sources.length,
    findings: state.findings.length,
    gaps: state.gaps.filter((gap) => !gap.isResolved).length,
  };
}

const reportOf = (record: SessionRecord, state: ResearchState, services: Services): ResearchReport =>
  buildReport(state, {
    researchId: record.id,
    mode: record.mode,
    citationFormat: record.input.citation_format,
    length: record.input.output_length,
    writtenBy: state.isWorded ? (services.model?.settings.model ?? CLIENT_MODEL) : undefined,
  });

async function writeResults(
  state: ResearchState,
  report: ResearchReport | undefined,
  lease: Lease,
): Promise<void> {
  if (report === undefined) return;
  await lease.write('sources', textsOf(state));
  await lease.write('report', report);
}

const textsOf = (state: ResearchState): SourceText[] =>
  state.sources.map(({ id, url, hash, text }) => ({ id, url, hash, text }));
