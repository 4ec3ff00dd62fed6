import { hostname } from 'node:os';
import type { ResearchReport } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../services.ts';
import { createAudit } from './audit.ts';
import { createBudget, type Budget } from './budget.ts';
import { createEventLog, type NewEvent, type ResearchEvent } from './events.ts';
import { buildReport } from './report.ts';
import { parametersOf, type Run } from './run.ts';
import type { SessionFiles } from './session-files.ts';
import { toWire, type SessionRecord } from './session.ts';
import type { SourceText } from './source-text.ts';
import { createState, type ResearchState } from './state.ts';
import { runWorkflow } from './workflow.ts';

/** A session that this process runs. */
export interface Running {
  record: SessionRecord;
  /** Resolves when the session stands on disk. */
  saved: Promise<void>;
  /** Resolves when it is over; it never rejects. */
  done: Promise<void>;
  cancel(): Promise<void>;
  interrupt(): Promise<void>;
  /** The report as far as it is, when there is anything to report. */
  draft(): ResearchReport | undefined;
  sources(): SourceText[];
  watch(signal?: AbortSignal): AsyncGenerator<ResearchEvent>;
}

type End = 'cancelled' | 'interrupted';

/** Runs a session in the background. Whatever happens, it ends in a saved status and, when anything was found, a report. */
export function startRun(
  record: SessionRecord,
  call: Call,
  services: Services,
  files: SessionFiles,
): Running {
  const { clock } = services;
  const stop = new AbortController();
  const events = createEventLog();
  const audit = createAudit(record, files, services);
  const state = createState(record.input);
  const budget = createBudget({ creditsMax: record.input.max_credits, tokensMax: record.input.max_tokens });
  Object.assign(record, {
    status: 'running',
    startedAt: clock.now(),
    owner: { host: hostname(), pid: process.pid },
  });
  let saving: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    update(record, state, budget, clock.now());
    saving = saving
      .catch(() => undefined)
      .then(() => files.write(record.workspace, record.id, 'session.json', record));
    return saving;
  };
  const emit = (event: NewEvent): void => {
    events.emit(event);
    audit.note(event);
  };
  const draft = (): ResearchReport | undefined =>
    state.subQueries.length === 0 && state.failed.length === 0
      ? undefined
      : reportOf(record, state, services);
  const saved = save();
  const parts = { record, call, services, files, stop, state, budget, emit, save, saved };
  const done = runAndFile(parts, draft).then(() => audit.flushed());
  const end = async (reason: End): Promise<void> => {
    stop.abort(reason);
    await done;
  };
  return {
    record,
    saved,
    done,
    cancel: () => end('cancelled'),
    interrupt: () => end('interrupted'),
    draft,
    sources: () => textsOf(state),
    watch: (signal) => events.watch(signal),
  };
}

interface Parts {
  record: SessionRecord;
  call: Call;
  services: Services;
  files: SessionFiles;
  stop: AbortController;
  state: ResearchState;
  budget: Budget;
  emit(event: NewEvent): void;
  save(): Promise<void>;
  saved: Promise<void>;
}

/** Runs, then writes down the results, then how it ended, then tells. */
async function runAndFile(parts: Parts, draft: () => ResearchReport | undefined): Promise<void> {
  const { record, services, state, files } = parts;
  const { status, error } = await runToEnd(parts);
  await writeResults(record, state, draft(), files).catch((thrown: unknown) => {
    services.log.error('research_not_saved', { research: record.id, cause: thrown });
  });
  record.elapsedMs += services.clock.now() - record.startedAt;
  record.error = error;
  if (status === 'completed') record.phase = 'done';
  record.status = status;
  await parts.save().catch(() => undefined);
  parts.emit({ type: 'done', session: toWire(record, status, services.clock.now()) });
}

type Ended = { status: SessionRecord['status']; error: string | null };

async function runToEnd(parts: Parts): Promise<Ended> {
  const { record, services, files, stop, state } = parts;
  const beating = beat(parts);
  try {
    await parts.saved;
    const journal = await files.openJournal(record.workspace, record.id);
    await runWorkflow(toRun(parts, journal));
    const lost = state.sources.length === 0 ? state.failed.find(({ step }) => step === 'search') : undefined;
    return lost === undefined
      ? { status: 'completed', error: null }
      : { status: 'failed', error: lost.message };
  } catch (thrown) {
    if (stop.signal.aborted) return { status: stop.signal.reason as End, error: null };
    const error = HeadgateError.from(thrown);
    services.log.error('research_failed', { research: record.id, code: error.code, cause: error.cause });
    return { status: 'failed', error: error.explanation };
  } finally {
    beating.abort();
  }
}

function toRun(parts: Parts, journal: Run['journal']): Run {
  const { record, call, services, stop, state, budget } = parts;
  const timeoutMs = record.input.timeout * 1_000;
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
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]),
    deadline: services.clock.now() + timeoutMs,
    caller: call.caller,
    emit: parts.emit,
    enter: (phase) => {
      stop.signal.throwIfAborted();
      record.phase = phase;
      parts.emit({ type: 'phase', phase, iteration: state.iteration });
      void parts.save().catch(() => undefined);
    },
  };
}

/** Tells other processes now and then that this one is alive, and hears when one of them cancels. */
function beat({ record, services, files, stop, save }: Parts): AbortController {
  const over = new AbortController();
  const loop = async (): Promise<void> => {
    for (;;) {
      await services.clock.sleep(LIMITS.researchBeatMs, over.signal);
      await save();
      if (await files.has(record.workspace, record.id, 'cancel')) stop.abort('cancelled' satisfies End);
    }
  };
  loop().catch(() => undefined);
  return over;
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
    writtenBy: state.isWorded ? services.model?.settings.model : undefined,
  });

async function writeResults(
  record: SessionRecord,
  state: ResearchState,
  report: ResearchReport | undefined,
  files: SessionFiles,
): Promise<void> {
  if (report === undefined) return;
  const { workspace, id } = record;
  await files.write(workspace, id, 'sources.json', textsOf(state));
  await files.write(workspace, id, 'report.json', report);
}

const textsOf = (state: ResearchState): SourceText[] =>
  state.sources.map(({ id, url, hash, text }) => ({ id, url, hash, text }));
