// Languages: one dictionary each, of which only the chosen one is loaded.
const NAMES = { en: 'English', ja: '日本語' };
export const languages = Object.entries(NAMES);

const stored = localStorage.getItem('headgate-language') ?? '';
let current = stored in NAMES ? stored : navigator.language.startsWith('ja') ? 'ja' : 'en';

export const dictionaryOf = async (name) => (await import(`./${name}.js`))[name];
let dictionary = await dictionaryOf(current);
document.documentElement.lang = current;

export const language = () => current;

/** Changes the language; while the gateway does not answer, it stays. */
export async function chooseLanguage(name) {
  const found = await dictionaryOf(name).catch(() => undefined);
  if (found === undefined) return;
  dictionary = found;
  current = name;
  localStorage.setItem('headgate-language', name);
  document.documentElement.lang = name;
}

/** A text with its `{values}` filled in. */
export function t(key, values = {}) {
  const text = dictionary[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** @type {Record<string, Promise<any>>} */
const loaded = {};
/** Texts that only Japanese pages need; asked for once. @param {'config' | 'failures' | 'warnings'} of @returns {Promise<Record<string, string>>} */
export const textsJa = (of) =>
  (loaded[of] ??= fetch(`/console/${of}-ja.json`).then(
    (response) => response.json(),
    () => ({}),
  ));

const locale = () => (current === 'ja' ? 'ja-JP' : 'en-GB');

export const number = (value) => new Intl.NumberFormat(locale()).format(value);

/** Millionths of a dollar, exact; with more digits than needed where amounts stand below each other. */
export function money(millionths, digits = 2) {
  const sign = millionths < 0 ? '−' : '';
  const whole = Math.trunc(Math.abs(millionths) / 1_000_000);
  const fraction = String(Math.abs(millionths) % 1_000_000).padStart(6, '0');
  return `${sign}$${number(whole)}.${fraction.slice(0, digits)}${fraction.slice(digits).replace(/0+$/, '')}`;
}

/** How many digits the most exact of these amounts needs. */
export const digitsOf = (amounts) =>
  Math.max(2, ...amounts.map((amount) => money(amount).split('.')[1].length));

/** @type {Intl.DateTimeFormatOptions} */
const DATE = { dateStyle: 'medium', timeStyle: 'short' };
export const moment = (ms) => (ms ? new Intl.DateTimeFormat(locale(), DATE).format(ms) : '–');
/** A moment to the second, for lists in which minutes are the same. */
export const second = (ms) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'short', timeStyle: 'medium' }).format(ms);
/** A share as a percentage with at most one digit. */
export const percent = (share) => `${number(Math.round(share * 1_000) / 10)} %`;
/** A duration: milliseconds, or from ten seconds on seconds. */
export const ms = (value) =>
  value < 10_000 ? `${number(Math.round(value))} ms` : `${number(Math.round(value / 100) / 10)} s`;
/** From one moment to another. */
export const span = (from, to) =>
  new Intl.DateTimeFormat(locale(), { ...DATE, dateStyle: 'short' }).formatRange(from, to);
/** A place on an axis of time: the hour, or at midnight the day; with long steps always the day. */
export function tick(ms, stepMs = 0) {
  const hour = new Intl.DateTimeFormat(locale(), {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(ms);
  const isMidnight =
    stepMs >= 10_800_000 || (new Date(ms).getHours() === 0 && new Date(ms).getMinutes() === 0);
  return isMidnight ? new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' }).format(ms) : hour;
}
export const day = (ms) => (ms ? new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(ms) : '–');
