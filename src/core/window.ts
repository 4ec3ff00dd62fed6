// The window in which calls are counted: a rolling day of whole UTC hours. Everything that counts, refuses, shows or explains it uses these.

export const HOUR_MS = 3_600_000;

/** A call counts until its hour is this old, so that no call ever counts for less than 24 hours. */
export const WINDOW_HOURS = 25;

export const WINDOW_MS = WINDOW_HOURS * HOUR_MS;

/** How people are told what the window is. */
export const WINDOW_WORDS = 'rolling day, counted by the hour';

/** The first moment that counts at `now`. */
export const windowStart = (now: number): number => (Math.floor(now / HOUR_MS) - WINDOW_HOURS + 1) * HOUR_MS;
