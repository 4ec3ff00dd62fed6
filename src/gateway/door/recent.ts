import type { Attempt } from '../../core/outcome.ts';
import { LIMITS } from '../../core/limits.ts';

/** A call as the console shows it: who called and how it went, not what was asked. */
export interface RecentCall {
  at: number;
  requestId: string;
  surface: 'http' | 'mcp';
  operation: string;
  status: number;
  ms: number;
  workspace: string | null;
  agent: string | null;
  key: string | null;
  outcome: string;
  code?: string;
  cached: boolean;
  credits: number;
  attempts: Attempt[];
}

export interface Recent {
  add(call: RecentCall): void;
  latest(count: number): RecentCall[];
}

/** The most recent calls, in memory only. */
export function createRecent(): Recent {
  const calls: RecentCall[] = [];
  let next = 0;
  return {
    add: (call) => {
      calls[next % LIMITS.recentCallsMax] = call;
      next += 1;
    },
    latest: (count) => {
      const length = Math.min(count, calls.length);
      return Array.from({ length }, (_, back) => calls[(next - 1 - back) % LIMITS.recentCallsMax]).flatMap(
        (call) => call ?? [],
      );
    },
  };
}
