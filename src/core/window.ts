// The window in which calls are counted: a rolling day of whole UTC hours. Everything that counts, refuses,
// shows or explains calls uses these constants.

export const HOUR_MS = 3_600_000;

/** A call counts until its hour is this old, so never for less than 24 hours. */
export const WINDOW_HOURS = 25;

export const WINDOW_MS = WINDOW_HOURS * HOUR_MS;

/** How the window is described to people. */
export const WINDOW_WORDS = 'rolling day, counted by the hour';

/** The start of the window that ends at `now`. */
export const windowStart = (now: number): number => (Math.floor(now / HOUR_MS) - WINDOW_HOURS + 1) * HOUR_MS;
