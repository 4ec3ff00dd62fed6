// Languages: one dictionary each. What a dictionary lacks is shown in English.
import { en } from './en.js';
import { ja } from './ja.js';

const dictionaries = { en, ja };
const NAMES = { en: 'English', ja: '日本語' };
export const languages = Object.entries(NAMES);

const stored = localStorage.getItem('headgate-language');
let current = stored in dictionaries ? stored : navigator.language.startsWith('ja') ? 'ja' : 'en';
document.documentElement.lang = current;

export const language = () => current;

export function chooseLanguage(name) {
  current = name;
  localStorage.setItem('headgate-language', name);
  document.documentElement.lang = name;
}

/** A text with its `{values}` filled in. */
export function t(key, values = {}) {
  const text = dictionaries[current][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

const locale = () => (current === 'ja' ? 'ja-JP' : 'en-GB');

export const number = (value) => new Intl.NumberFormat(locale()).format(value);

/** Millionths of a dollar, exact. */
export function money(millionths) {
  const sign = millionths < 0 ? '−' : '';
  const whole = Math.trunc(Math.abs(millionths) / 1_000_000);
  const fraction = String(Math.abs(millionths) % 1_000_000).padStart(6, '0');
  return `${sign}$${number(whole)}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

const DATE = { dateStyle: 'medium', timeStyle: 'short' };
export const moment = (ms) => (ms ? new Intl.DateTimeFormat(locale(), DATE).format(ms) : '–');
export const day = (ms) => (ms ? new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(ms) : '–');
