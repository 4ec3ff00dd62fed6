import type { CallLog, CallRow, KeptTexts } from '../core/call-row.ts';
import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { type CallBounds, trimCalls } from '../store/calls.ts';
import type { Database } from '../store/database.ts';
import { integerColumn } from '../store/rows.ts';

export interface WrittenCallLog extends CallLog {
  /** Removes what is older or more than the operator wants. */
  trim(): Promise<void>;
}

/**
 * Rows of calls that charge nothing are collected and written together; a crash loses at most the last second
 * of them. Rows of charged calls are part of their charge and do not come here.
 */
export function createCallLog(options: {
  database: Database;
  clock: Clock;
  log: Logger;
  bounds: CallBounds;
  /** Which texts are kept of calls without a workspace. */
  local: KeptTexts;
}): WrittenCallLog {
  const { database, clock, log, bounds, local } = options;
  let rows: CallRow[] = [];
  let stopTimer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const taken = rows;
    rows = [];
    if (taken.length === 0) return;
    await database.log(taken).catch((thrown: unknown) => {
      log.warn('calls_delayed', { calls: taken.length, cause: thrown });
      rows = [...taken, ...rows];
      drop();
      schedule();
    });
  };
  const drop = (): void => {
    const over = rows.length - LIMITS.callsWaitingMax;
    if (over <= 0) return;
    rows.splice(0, over);
    log.error('calls_dropped', { calls: over });
  };
  const flush = (): Promise<void> => {
    stopTimer?.();
    stopTimer = undefined;
    writing = writing.then(write);
    return writing;
  };
  const schedule = (): void => {
    stopTimer ??= clock.after(LIMITS.callsFlushMs, () => void flush());
  };
  return {
    keeps: createKeeps(database, clock, local),
    note: (row) => {
      rows.push(row);
      drop();
      // Small batches, so that a charge never waits long behind one.
      if (rows.length % LIMITS.callsBatchMax === 0) void flush();
      else schedule();
    },
    flush,
    trim: () => trimCalls(database, bounds, clock.now()),
  };
}

/** What workspaces keep, read again every few seconds. */
function createKeeps(database: Database, clock: Clock, local: KeptTexts): CallLog['keeps'] {
  const known = new Map<string, { texts: KeptTexts; until: number }>();
  const read = async (workspace: string): Promise<KeptTexts> => {
    const [row] = await database.read(
      'SELECT keep_queries, keep_answers FROM workspaces WHERE id = ?',
      workspace,
    );
    const texts =
      row === undefined
        ? { queries: false, answers: false }
        : {
            queries: integerColumn(row, 'keep_queries') === 1,
            answers: integerColumn(row, 'keep_answers') === 1,
          };
    if (known.size >= LIMITS.storeKnownMax) known.clear();
    known.set(workspace, { texts, until: clock.monotonic() + LIMITS.callTextsKnownMs });
    return texts;
  };
  return (workspace) => {
    if (workspace === undefined) return local;
    const found = known.get(workspace);
    return found !== undefined && clock.monotonic() < found.until ? found.texts : read(workspace);
  };
}
