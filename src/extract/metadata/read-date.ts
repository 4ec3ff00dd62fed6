const CHARS_MAX = 60;

/**
 * Reads a machine-readable date as ISO 8601. A day stays a day, and a time keeps its time zone, so that the
 * day is the one that readers see.
 */
export function readDate(text: string | undefined): string | undefined {
  const trimmed = (text ?? '').trim().slice(0, CHARS_MAX);
  const iso =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d{1,2}:?\d{2})?)?/i.exec(
      trimmed,
    ) ?? /^(\d{4})[/.]?(\d{2})[/.]?(\d{2})(?:$|[T ](?:(\d{2}:\d{2}(?::\d{2})?)$)?)/.exec(trimmed);
  if (iso !== null) return writeMoment(iso);
  return readWritten(trimmed);
}

function writeMoment([, year, month, day, time, zone]: RegExpExecArray): string | undefined {
  const date = writeDay(Number(year), Number(month), Number(day));
  if (date === undefined || time === undefined) return date;
  const padded = time.padStart(time.length > 5 ? 8 : 5, '0');
  if (!/^([01]\d|2[0-3])(:[0-5]\d){1,2}$/.test(padded)) return date;
  return `${date}T${padded}${writeZone(zone)}`;
}

/** `+0530` → `+05:30`; none stays none. */
function writeZone(zone: string | undefined): string {
  if (zone === undefined) return '';
  const match = /^([+-])(\d{1,2}):?(\d{2})$/.exec(zone);
  if (match === null) return 'Z';
  const [, sign, hours = '', minutes] = match;
  return Number(hours) + Number(minutes) === 0 ? 'Z' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** What `Date` itself reads: `Sun, 01 Mar 2026 10:00:00 GMT`. Without a zone it is read as UTC: that of this machine would move some to the day before. */
function readWritten(text: string): string | undefined {
  if (!/\b\d{4}\b/.test(text)) return undefined;
  const zone = /(GMT|UTC|Z|[+-]\d{2}:?\d{2}|\b[ECMP][SD]T)\)?$/.exec(text)?.[1];
  const parsed = Date.parse(zone === undefined ? `${text} UTC` : text);
  if (Number.isNaN(parsed)) return undefined;
  const written = new Date(parsed).toISOString();
  const day = writeDay(
    Number(written.slice(0, 4)),
    Number(written.slice(5, 7)),
    Number(written.slice(8, 10)),
  );
  if (day === undefined || !/\d:\d{2}/.test(text)) return day;
  return written.replace(/\.\d+Z$/, zone === undefined ? '' : 'Z');
}

const YEAR_MIN = 1900;
const YEAR_MAX = 2100;

/**
 * Formats a valid day between 1900 and 2100. 1970-01-01 is rejected, because it stands for a missing date.
 */
export function writeDay(year: number, month: number, day: number): string | undefined {
  if (year < YEAR_MIN || year > YEAR_MAX || (year === 1970 && month === 1 && day === 1)) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** The number of days between two dates; a time without a zone counts as UTC. */
export const daysBetween = (first: string, second: string): number =>
  Math.abs(momentOf(first) - momentOf(second)) / DAY_MS;

/** Whether a date is earlier than another. If one of them is only a day, the days are compared. */
export function isEarlier(first: string, second: string): boolean {
  if (first.length <= 10 || second.length <= 10) return first.slice(0, 10) < second.slice(0, 10);
  return momentOf(first) < momentOf(second);
}

const momentOf = (date: string): number =>
  Date.parse(date.length > 10 && !/(Z|[+-]\d{2}:\d{2})$/.test(date) ? `${date}Z` : date);
