/** A calendar period: `start` is inside it, `end` is not. */
export interface CalendarPeriod {
  start: number;
  end: number;
}

/** The local day or month that contains `now`, as instants. Days of a change to or from summer time have 23 or 25 hours. */
export function calendarPeriod(kind: 'day' | 'month', zone: string, now: number): CalendarPeriod {
  const local = localTimeIn(zone);
  const [year = 0, month = 1, date = 1] = local(now);
  return kind === 'day'
    ? { start: startOf(local, year, month, date), end: startOf(local, year, month, date + 1) }
    : { start: startOf(local, year, month, 1), end: startOf(local, year, month + 1, 1) };
}

/** Whether this machine knows a time zone of this name. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

type LocalTime = (at: number) => number[];

/** A format takes longer to make than everything else that is done with a budget. */
const known = new Map<string, LocalTime>();
/** There are some 600 names; the bound guards against mistakes. */
const KNOWN_MAX = 1_000;

/** Year, month, day, hour, minute and second of an instant in a zone. */
function localTimeIn(zone: string): LocalTime {
  const before = known.get(zone);
  if (before !== undefined) return before;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const local: LocalTime = (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map(
      (type) => parts.get(type) ?? 0,
    );
  };
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(zone, local);
  return local;
}

const DAY_MS = 86_400_000;

/** The first instant of a local date. Midnight itself may be skipped or come twice, so both offsets around it are tried. */
function startOf(local: LocalTime, year: number, month: number, date: number): number {
  const midnight = Date.UTC(year, month - 1, date);
  const offsetAt = (at: number): number => {
    const [y = 0, mo = 1, d = 1, h = 0, mi = 0, s = 0] = local(at);
    return Date.UTC(y, mo - 1, d, h, mi, s) - at;
  };
  const candidates = [midnight - offsetAt(midnight - DAY_MS), midnight - offsetAt(midnight + DAY_MS)];
  const isInside = (at: number): boolean => at + offsetAt(at) >= midnight;
  return Math.min(...candidates.filter(isInside), Math.max(...candidates));
}
