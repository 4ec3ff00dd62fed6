import type { Config } from '../../config/schema.ts';
import type { RequestWindow } from '../../core/shared.ts';

const MINUTE_MS = 60_000;

export const perMinute = (requests: number): RequestWindow => ({ requests, perMs: MINUTE_MS });

/** How many requests a key, or an address without one, may make in which time. */
export function requestWindowOf(server: Config['server']): RequestWindow {
  const perMs = server.requests_window_seconds * 1_000;
  return { requests: Math.max(1, Math.floor((server.requests_per_minute * perMs) / MINUTE_MS)), perMs };
}
