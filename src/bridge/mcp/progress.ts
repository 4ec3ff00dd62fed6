import { LIMITS } from '../../core/limits.ts';
import { clip } from '../../core/text.ts';

/** The content of a progress notification. */
export interface ProgressReport {
  progress: number;
  total?: number;
  message?: string;
}

/**
 * Converts a tool's progress into reports that MCP allows: increasing numbers, a bounded number of reports,
 * and none after the call has ended.
 */
export function createProgress(send: (report: ProgressReport) => void): {
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
