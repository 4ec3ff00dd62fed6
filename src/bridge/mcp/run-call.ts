import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { callTool, type ToolCallOptions } from '../call.ts';
import { errorResult, textOfContent } from '../result.ts';
import { isWanted, type ClientLogLevel, type McpLogLevel } from './log-level.ts';
import type { AgentTool, CallResult, ToolContext } from '../tool.ts';
import { clip } from '../../core/text.ts';

/** Where a `tools/call` came from. */
export interface CallOrigin extends Pick<
  ToolContext,
  'auth' | 'idempotencyKey' | 'protocolVersion' | 'sessionId'
> {
  id: string | number;
  meta?: Record<string, unknown> | undefined;
  signal: AbortSignal;
  /** Asks the client's model, if it has one for us. */
  ask?: ToolContext['requestSampling'];
  /** Asks the person at the client, if it can. */
  confirm?: ToolContext['requestConfirmation'];
  /** What the client wants to be told in log messages; absent where the server sends none. */
  log?: ClientLogLevel | undefined;
  notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
}

/** Runs a tool for an MCP client, and sends it the progress and the log messages that it asked for: none after the end. */
export async function runCall(
  tool: AgentTool,
  input: Record<string, unknown>,
  origin: CallOrigin,
  options: ToolCallOptions & { deps?: unknown },
): Promise<CallResult> {
  const { id, meta, auth, signal, ask, confirm, notify, log: client, ...facts } = origin;
  const token = meta?.['progressToken'];
  const send = createSender(notify, signal);
  const progress = createProgress((report) => {
    if (token !== undefined) send('notifications/progress', { progressToken: token, ...report });
  });
  const log = (level: McpLogLevel, data: Record<string, unknown>): void => {
    if (client !== undefined && isWanted(level, client))
      send('notifications/message', { level, logger: tool.name, data });
  };
  const context: ToolContext = {
    ...facts,
    signal,
    callId: String(id),
    ...(options.deps !== undefined && { deps: options.deps }),
    ...(meta !== undefined && { meta }),
    ...(auth !== undefined && { auth }),
    progress: (done, total, message, isWarning = false) => {
      progress.report(done, total, message);
      if (message !== undefined)
        log(isWarning ? 'warning' : 'info', { message: clip(message, LIMITS.toolProgressCharsMax) });
    },
    ...(ask !== undefined && { requestSampling: ask }),
    ...(confirm !== undefined && { requestConfirmation: confirm }),
  };
  const started = performance.now();
  log('debug', { message: 'started' });
  try {
    const result = await callTool(tool, input, context, options);
    if (result.isError === true)
      log('error', { message: clip(textOfContent(result.content), LIMITS.toolProgressCharsMax) });
    log('debug', { message: 'done', ms: Math.round(performance.now() - started) });
    return result;
  } finally {
    progress.end();
    send.end();
  }
}

/** Sends a bounded number of notifications, and none to a caller that has cancelled or has its answer. */
function createSender(notify: CallOrigin['notify'], signal: AbortSignal) {
  let left: number = 2 * LIMITS.toolProgressMax;
  const send = (method: string, params: Record<string, unknown>): void => {
    if (left <= 0 || signal.aborted) return;
    left -= 1;
    // A caller that has left cannot be told; its call is aborted elsewhere.
    void notify({ method, params }).catch(() => undefined);
  };
  return Object.assign(send, {
    end: () => {
      left = 0;
    },
  });
}

export const tooManyCalls = (): CallResult =>
  errorResult(
    new HeadgateError('rate_limited', `${LIMITS.toolCallsMax} calls are running.`, {
      remediation: 'Call again when some have ended.',
    }),
  );

/** The content of a progress notification. */
interface ProgressReport {
  progress: number;
  total?: number;
  message?: string;
}

/**
 * Converts a tool's progress into reports that MCP allows: increasing numbers, a bounded number of reports,
 * and none after the call has ended.
 */
function createProgress(send: (report: ProgressReport) => void): {
  report(done: number, total?: number, message?: string): void;
  end(): void;
} {
  let last = -Infinity;
  let left: number = LIMITS.toolProgressMax;
  return {
    report(done, total, message) {
      if (left <= 0 || !Number.isFinite(done)) return;
      left -= 1;
      last = done > last ? done : last + 0.001;
      send({
        progress: last,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(message !== undefined && { message: clip(message, LIMITS.toolProgressCharsMax) }),
      });
    },
    end() {
      left = 0;
    },
  };
}
