import type { Policy } from '../../core/gate.ts';
import type { OwnText } from '../../core/text.ts';
import type {
  ResearchInput,
  ResearchPhase,
  ResearchSession,
  ResearchStatus,
} from '../../contract/research.ts';
import { joinSentences, plural } from '../../core/text.ts';
import type { ResearchMode } from '../parameters.ts';

/** The record of a session, without its steps, sources and report. */
export interface SessionRecord {
  version: 1;
  id: string;
  workspace: string;
  input: ResearchInput;
  /** Rules that its callers have set for it. */
  policy?: readonly Policy[];
  mode: ResearchMode;
  nonce: string;
  status: ResearchStatus;
  phase: ResearchPhase;
  iteration: number;
  counts: { subQueries: number; asked: number; sources: number; findings: number; gaps: number };
  tokens: number;
  credits: number;
  error: OwnText | null;
  /** The code of the failure, where all steps failed with one. */
  errorCode?: string | null;
  timedOut: boolean;
  statusChecks: number;
  createdAt: number;
  updatedAt: number;
  /** How long it ran in total, over all resumptions. */
  elapsedMs: number;
  startedAt: number;
  expiresAt: number;
  /** How often it was taken over from a dead process. */
  takeovers: number;
}

/** A stored session. */
export interface SessionEntry {
  record: SessionRecord;
  /** Whether a process holds its lease now. */
  isHeld: boolean;
  /** Whether another gateway is about to take it over. */
  isLeft?: boolean;
}

const CHECKS_MAX = 5;

/** The current status of a record: `running` only if a process holds the lease, or is about to. */
export function sessionStatusOf({
  record: { status },
  isHeld,
  isLeft = false,
}: SessionEntry): ResearchStatus {
  if (status !== 'running' && status !== 'interrupted') return status;
  return isLeft || (isHeld && status === 'running') ? 'running' : 'interrupted';
}

export function toWire(record: SessionRecord, status: ResearchStatus, now: number): ResearchSession {
  const live = status === 'running' ? Math.max(0, now - record.startedAt) : 0;
  return {
    research_id: record.id,
    status,
    phase: record.phase,
    original_query: record.input.query,
    mode: record.mode,
    iteration: record.iteration,
    max_iterations: record.input.max_iterations,
    sub_queries_total: record.counts.subQueries,
    sub_queries_completed: record.counts.asked,
    source_count: record.counts.sources,
    finding_count: record.counts.findings,
    gap_count: record.counts.gaps,
    total_tokens_used: record.tokens,
    credits: record.credits,
    elapsed_ms: Math.round(record.elapsedMs + live),
    is_complete: status === 'completed',
    is_failed: status === 'failed',
    failure_error: record.error,
    failure_code: record.errorCode ?? null,
    timed_out: record.timedOut,
    cancelled: status === 'cancelled',
    status_check_count: record.statusChecks,
    next_action: nextAction(record, status),
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
    expires_at: new Date(record.expiresAt).toISOString(),
  };
}

/** Tells agents when to poll again. */
function nextAction(record: SessionRecord, status: ResearchStatus): string {
  if (status === 'completed') return 'Done. Ask for the report.';
  if (status === 'failed')
    return joinSentences(
      `Failed: ${record.error ?? 'unknown reason'}`,
      'Resume it to try the failed steps again.',
    );
  if (status === 'cancelled') return 'Cancelled. Ask for the partial report, resume it, or delete it.';
  if (status === 'interrupted') return 'Interrupted. Resume it: finished steps are not repeated.';
  const left = CHECKS_MAX - record.statusChecks;
  return left > 0
    ? `BEFORE next check: Tell user about progress. ${plural(left, 'check')} remaining.`
    : 'Max checks reached. Offer user options: wait, background, or cancel.';
}
