/**
 * Parses a `Retry-After` header into milliseconds: whole seconds, or an HTTP date. A date is compared with
 * the response's own `Date` header, so that a wrong clock on either side does no harm, and with `now` if
 * there is none. A past date means now; anything else is ignored.
 */
export function retryAfterMs(headers: Record<string, string>, now?: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  const sent = Date.parse(headers['date'] ?? '');
  const from = Number.isNaN(sent) ? now : sent;
  return Number.isNaN(at) || from === undefined ? undefined : Math.max(0, at - from);
}

/** Date.parse also accepts values such as `-5` or `1.5`, so the format is checked first. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i;
