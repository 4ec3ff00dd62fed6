import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { callTool, type ToolCallOptions } from '../call.ts';
import { errorResult } from '../result.ts';
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
  notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
}

/** Runs a tool for an MCP client, and sends its progress if the client asked for it. */
export async function runCall(
  tool: AgentTool,
  input: Record<string, unknown>,
  origin: CallOrigin,
  options: ToolCallOptions & { deps?: unknown },
): Promise<CallResult> {
  const { id, meta, auth, signal, ask, notify, ...facts } = origin;
  const token = meta?.['progressToken'];
  const progress = createProgress((report) => {
    if (token === undefined) return;
    // A caller that has left cannot be told; its call is aborted elsewhere.
    void notify({ method: 'notifications/progress', params: { progressToken: token, ...report } }).catch(
      () => undefined,
    );
  });
  const context: ToolContext = {
    ...facts,
    signal,
    callId: String(id),
    ...(options.deps !== undefined && { deps: options.deps }),
    ...(meta !== undefined && { meta }),
    ...(auth !== undefined && { auth }),
    progress: (done, total, message) => progress.report(done, total, message),
    ...(ask !== undefined && { requestSampling: ask }),
  };
  try {
    return await callTool(tool, input, context, options);
  } finally {
    progress.end();
  }
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
