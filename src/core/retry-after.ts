/**
 * What a `Retry-After` header asks for, in milliseconds: whole seconds, or an HTTP date. A date is read against the
 * answer's own `Date` header, so that a wrong clock on either side does no harm, and against `now` without one. A past date
 * means now; anything else is no statement.
 */
export function retryAfterMs(headers: Record<string, string>, now?: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  const sent = Date.parse(headers['date'] ?? '');
  const from = Number.isNaN(sent) ? now : sent;
  return Number.isNaN(at) || from === undefined ? undefined : Math.max(0, at - from);
}

/** Date.parse also takes things like `-5` or `1.5`, so the shape is checked first. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i;
