import { markedAs, type Figure } from './figure.ts';
import type { Language } from './language.ts';
import { hanValue, readNumber, type ReadNumber } from './numbers.ts';
import { readUnit } from './units.ts';

const YEAR_MIN = 1000;
const YEAR_MAX = 2100;
const BEFORE_YEAR =
  /(?:\b(?:in|since|by|until|till|from|of|after|before|during|early|late|mid|around|year|to|and|between|for|spring|summer|autumn|fall|winter|im|seit|bis|ab|von|vor|nach|um|jahr|jahre|en|desde|hasta|año|de|para|hacia|entre|y|a|January|February|March|April|May|June|July|August|September|October|November|December)|[,(–-])\s?$/iu;

/** Words that precede counts as often as years. */
const WEAK_BEFORE_YEAR = /\b(?:of|for|to|by|from|and|around|de|von|a|y|um|para)\s$/iu;

/** Whether four plain digits are a year: in a position for a year, and not followed by something counted. */
export function isYear(text: string, at: number, number: ReadNumber, language: Language): boolean {
  if (number.value < YEAR_MIN || number.value > YEAR_MAX) return false;
  const rest = text.slice(at + number.length);
  if (/^\s?年(?!間)/u.test(rest)) return true;
  if (language === 'ja' || language === 'zh')
    return /^(?:\s?[-–〜～至到]\s?\d{4}|$|[。，、,)])/u.test(rest) && readUnit(rest) === undefined;
  const unit = readUnit(rest);
  if (unit !== undefined && !/^\s?(?:a|s|m|t|h|l|g)\b/i.test(rest)) return false;
  const next = /^\s(\p{L}+)/u.exec(rest)?.[1] ?? '';
  const isNoun = language === 'de' ? /^\p{Lu}/u.test(next) : /^\p{Ll}/u.test(next) && !NOT_COUNTED.test(next);
  const before = text.slice(Math.max(0, at - 14), at);
  // The 2018 election, but the 1500 students.
  if (/\b(?:the|der|die|das|den|el|la)\s$/i.test(before) && number.value >= 1800 && !next.endsWith('s'))
    return true;
  return !isNoun || (BEFORE_YEAR.test(before) && !WEAK_BEFORE_YEAR.test(before));
}

const NOT_COUNTED =
  /^(?:and|or|to|in|of|the|an?|by|for|from|with|on|at|as|is|was|were|are|has|have|had|that|which|it|its|but|when|while|until|since|than|after|before|y|o|el|la|los|las|un|una|se|fue|por|con|que|en|del|al|como|cuando)$/i;

export function yearAt(text: string, at: number, number: ReadNumber, language: Language): Figure {
  let end = at + number.length;
  const plural = /^['’]?s\b/.exec(text.slice(end))?.[0] ?? '';
  const join =
    /^\s?(?:[-–—〜～]|to\s|bis\s|hasta\s|a\s|から|年から|至|到|年至|年到|and\s|und\s|y\s)\s?(?=(?:1\d|20)\d\d(?!\d))/iu.exec(
      text.slice(end),
    )?.[0];
  let high = number.value + (plural === '' ? 0 : 9);
  end += plural.length;
  if (join !== undefined && plural === '' && !/^\s?(?:and|und|y)\s/i.test(join)) {
    const until = readNumber(text, end + join.length, language);
    high = until?.value ?? high;
    end += join.length + (until?.length ?? 0);
  }
  if (text[end] === '年') end += 1;
  const months =
    language === 'ja' || language === 'zh' ? MONTH_AFTER_YEAR.exec(text.slice(end, end + 40)) : null;
  if (months === null || high !== number.value) return dated(text, at, end, [number.value, 0, 0], high);
  return dated(
    text,
    at,
    end + months[0].length,
    [number.value, hanNumber(months[1]), hanNumber(months[2])],
    high,
  );
}

const SMALL = '\\d{1,2}|[一二三四五六七八九十]{1,3}';
/** The month and day after a year, which may be given again as that of an era: `2023年(令和5年)10月1日`. */
const MONTH_AFTER_YEAR = new RegExp(
  `^(?:[（(][^（()）]{1,10}[)）])?\\s?(${SMALL})月(?:\\s?(${SMALL})日)?`,
  'u',
);
const DAY_WITHOUT_YEAR = new RegExp(`^(${SMALL})月\\s?(${SMALL})日`, 'u');

export const hanNumber = (written: string | undefined): number =>
  written === undefined ? 0 : /^\d/.test(written) ? Number(written) : (hanValue(written) ?? 0);

function dated(
  text: string,
  start: number,
  end: number,
  [year, month, day]: [number, number, number],
  last = year,
): Figure {
  const low = year * 1e4 + month * 100 + day;
  const high =
    last === year
      ? year * 1e4 + (month === 0 ? 1299 : month * 100 + (day === 0 ? 99 : day))
      : last * 1e4 + 1299;
  const { isAbout } = markedAs(text, start, end);
  return {
    kind: 'date',
    dimension: 'date',
    low,
    high,
    precision: 8,
    isAbout,
    isConverted: false,
    text: text.slice(start, end).trim(),
    start,
    end,
  };
}

const MONTHS =
  'jan(?:uary|uar)?|ene(?:ro)?|feb(?:ruary|ruar|rero)?|mar(?:ch|zo)?|märz|apr(?:il)?|abr(?:il)?|may(?:o)?|mai|jun(?:e|i|io)?|jul(?:y|i|io)?|aug(?:ust)?|ago(?:sto)?|sep(?:t|tember|tiembre)?|oct(?:ober|ubre)?|okt(?:ober)?|nov(?:ember|iembre)?|dec(?:ember)?|dez(?:ember)?|dic(?:iembre)?';
const TIME_NAME = new RegExp(`^(?:${MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$`, 'i');
/** Whether a word with a capital is a month or a day of the week. */
export const isTimeName = (word: string): boolean => TIME_NAME.test(word);

const MONTH_INDEX = [
  'jan ene',
  'feb',
  'mar mär',
  'apr abr',
  'may mai',
  'jun',
  'jul',
  'aug ago',
  'sep',
  'oct okt',
  'nov',
  'dec dez dic',
];
const DAY_FIRST = new RegExp(
  `^(\\d{1,2})(?:st|nd|rd|th|\\.|º)?\\s(?:de\\s|of\\s)?(${MONTHS})\\.?(?:,?\\s(?:de\\s|del\\s)?(\\d{4}))?(?![\\p{L}\\d])`,
  'iu',
);
const MONTH_FIRST = new RegExp(
  `^(${MONTHS})\\.?\\s(?:(\\d{1,2})(?:st|nd|rd|th)?,?(?:\\s(\\d{4}))?|(?:de\\s)?(\\d{4}))(?![\\p{L}\\d])`,
  'iu',
);
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/;
const ERA = /^(明治|大正|昭和|平成|令和)(元|\d{1,2}|[一二三四五六七八九十]{1,3})年/u;
const ERAS: Record<string, number> = { 明治: 1867, 大正: 1911, 昭和: 1925, 平成: 1988, 令和: 2018 };
const CENTURY =
  /^(?:(\d{1,2})(?:st|nd|rd|th)[\s-]century|(\d{1,2})\.\s?Jahrhunderts?|siglo\s([XVI]{1,5})|(\d{1,2})(?:世紀|世纪))/iu;
const ROMAN: Record<string, number> = { X: 10, V: 5, I: 1 };

export function dateInSentence(text: string, at: number, language: Language): Figure | undefined {
  if (!/[\dA-Za-zÄä明大昭平令]/.test(text[at] ?? '')) return undefined;
  const rest = text.slice(at, at + 40);
  const isHan = language === 'ja' || language === 'zh';
  const han = isHan ? DAY_WITHOUT_YEAR.exec(rest) : null;
  if (han !== null) {
    const figure = dated(text, at, at + han[0].length, [0, hanNumber(han[1]), hanNumber(han[2])]);
    return { ...figure, dimension: 'day' };
  }
  const day = DAY_FIRST.exec(rest);
  if (day !== null) return monthly(text, at, day[0].length, day[3], day[2], day[1]);
  const month = isHan ? null : MONTH_FIRST.exec(rest);
  if (month !== null && /^\p{Lu}/u.test(rest) === (language !== 'es' || /^\p{Lu}/u.test(rest)))
    return monthly(text, at, month[0].length, month[3] ?? month[4], month[1], month[2]);
  const iso = ISO.exec(rest);
  if (iso !== null) return dated(text, at, at + 10, [Number(iso[1]), Number(iso[2]), Number(iso[3])]);
  const era = ERA.exec(rest);
  if (era !== null) {
    const count = era[2] === '元' ? 1 : hanNumber(era[2]);
    const end = at + era[0].length;
    const after = MONTH_AFTER_YEAR.exec(text.slice(end, end + 40));
    const year = (ERAS[era[1] ?? ''] ?? 0) + count;
    return dated(text, at, end + (after?.[0].length ?? 0), [
      year,
      hanNumber(after?.[1]),
      hanNumber(after?.[2]),
    ]);
  }
  const century = CENTURY.exec(rest);
  if (century === null) return undefined;
  const count = Number(century[1] ?? century[2] ?? century[4] ?? romanValue(century[3] ?? ''));
  return dated(text, at, at + century[0].length, [(count - 1) * 100 + 1, 0, 0], count * 100);
}

function monthly(
  text: string,
  at: number,
  length: number,
  year: string | undefined,
  name: string | undefined,
  day: string | undefined,
): Figure {
  const prefix = (name ?? '').toLowerCase().slice(0, 3);
  const month = MONTH_INDEX.findIndex((one) => one.split(' ').includes(prefix)) + 1;
  const figure = dated(text, at, at + length, [Number(year ?? 0), month, Number(day ?? 0)]);
  return year === undefined ? { ...figure, dimension: 'day' } : figure;
}

const romanValue = (roman: string): number =>
  [...roman.toUpperCase()].reduce((sum, letter, index, all) => {
    const value = ROMAN[letter] ?? 0;
    return (ROMAN[all[index + 1] ?? ''] ?? 0) > value ? sum - value : sum + value;
  }, 0);
