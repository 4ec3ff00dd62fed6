import type { Language } from './language.ts';

/** A parsed number and its length in characters. */
export interface ReadNumber {
  value: number;
  length: number;
  /** Significant digits: 2 in 1,200,000, 3 in 14.2. */
  precision: number;
  /** Whether it is written like a year: four plain digits. */
  isPlain: boolean;
}

const DIGIT = /\p{N}|[一二三四五六七八九十百千万億亿兆]/u;
/** Numbers in words, as far as they are common. */
const NUMBER_WORDS =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundreds?|thousands?|millions?|billions?|half|third|quarter|twice|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend|million(?:en)?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien(?:tos)?|mil|millones|deux|trois|quatre|cinq|huit|neuf|dix|cent|mille)\b/giu;
const NUMBERS = /\p{N}+(?:[.,:]\p{N}+)*|[一二三四五六七八九十百千万億亿兆]+/gu;

/** Whether a text has a number in digits or kanji. */
export const hasDigit = (text: string): boolean => DIGIT.test(text);
/** Whether a text has a number, in digits or in words. */
export const hasNumber = (text: string): boolean => countNumbers(text) > 0;
/** How many numbers a text has. Those in words count half: `two` and `half` are often no figures. */
export const countNumbers = (text: string): number =>
  (text.match(NUMBERS)?.length ?? 0) + (text.match(NUMBER_WORDS)?.length ?? 0) / 2;

const DIGITS = /\d{1,3}(?:[\u00A0\u202F' ]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*/y;
const SCALE: Record<Language, [RegExp, number][]> = {
  en: [
    [/\s?(?:trillion|tn)\b/iy, 1e12],
    [/[\s-]?(?:billion|bn)\b/iy, 1e9],
    [/[\s-]?(?:million|mn|mln)\b/iy, 1e6],
    [/\s?thousand\b|k\b(?!m)/iy, 1e3],
    [/\s?hundred\b/iy, 100],
    [/\s?dozen\b/iy, 12],
  ],
  de: [
    [/\s?(?:Billion(?:en)?\b|Bio\.)/iy, 1e12],
    [/\s?(?:Milliarden?\b|Mrd\b\.?)/iy, 1e9],
    [/\s?(?:Million(?:en)?\b|Mio\b\.?)/iy, 1e6],
    [/\s?tausend\b|\s?Tsd\b\.?/iy, 1e3],
    [/\s?hundert\b/iy, 100],
  ],
  es: [
    [/\s?bill(?:ón|ones)\b/iy, 1e12],
    [/\s?mil\s(?:millones|M)\b/iy, 1e9],
    [/\s?mill(?:ón|ones)\b/iy, 1e6],
    [/\s?mil\b/iy, 1e3],
  ],
  ja: [],
  zh: [],
};
const HAN_SCALES: Record<string, number> = { 兆: 1e12, 億: 1e8, 亿: 1e8, 万: 1e4, 萬: 1e4 };
const HAN_SMALL: Record<string, number> = { 千: 1e3, 百: 100, 十: 10 };
const HAN_DIGITS = '〇一二三四五六七八九';

/** Parses the number at a position, in digits, kanji or words, with its scale (`million`, `万`). */
export function readNumber(text: string, at: number, language: Language): ReadNumber | undefined {
  return readDigits(text, at, language) ?? readHan(text, at, language) ?? readWord(text, at, language);
}

function readDigits(text: string, at: number, language: Language): ReadNumber | undefined {
  DIGITS.lastIndex = at;
  const written = DIGITS.exec(text)?.[0];
  if (written === undefined) return undefined;
  const plain = unpunctuated(written, language);
  const value = Number(plain);
  if (!Number.isFinite(value)) return undefined;
  const digits = plain.replace('.', '').replace(/^0+/, '');
  const precision = (plain.includes('.') ? digits : digits.replace(/0+$/, '')).length;
  const isPlain = /^\d{4}$/.test(written);
  return scaled(text, at, { value, length: written.length, precision, isPlain }, language);
}

/** The thousands separator depends on the language; a repeated separator always separates thousands. */
function unpunctuated(written: string, language: Language): string {
  const decimal = language === 'de' || language === 'es' ? ',' : '.';
  const thousands = decimal === ',' ? '.' : ',';
  const bare = written.replace(/[\u00A0\u202F' ]/g, '');
  const [last = ''] = bare.match(/[.,]\d+$/) ?? [];
  const isGrouped = /^\d{1,3}(?:[.,]\d{3}){2,}$/.test(bare);
  if (isGrouped) return bare.replace(/[.,]/g, '');
  if (last === '') return bare;
  const whole = bare.slice(0, -last.length).replace(/[.,]/g, '');
  const isThousands = last.startsWith(thousands) && /^\d{1,3}$/.test(whole) && last.length === 4;
  return isThousands ? whole + last.slice(1) : `${whole}.${last.slice(1)}`;
}

function scaled(text: string, at: number, number: ReadNumber, language: Language): ReadNumber {
  let { value, length } = number;
  if (language === 'ja' || language === 'zh') {
    const scale = hanScale(text, at + length);
    if (scale === undefined) return number;
    value *= scale.value;
    length += scale.length;
    // 3億5000万 is one number; 15億2020年 would be two.
    const rest = readDigits(text, at + length, language);
    const tail =
      rest !== undefined && rest.value < scale.value && text[at + length + rest.length] !== '年'
        ? rest
        : undefined;
    value += tail?.value ?? 0;
    length += tail?.length ?? 0;
    return { ...number, value, length, isPlain: false, precision: number.precision + (tail?.precision ?? 0) };
  }
  for (let round = 0; round < 2; round += 1) {
    const found = SCALE[language].find(([pattern]) => {
      pattern.lastIndex = at + length;
      return pattern.test(text);
    });
    if (found === undefined) break;
    value *= found[1];
    length = found[0].lastIndex - at;
  }
  return { ...number, value, length, isPlain: number.isPlain && length === number.length };
}

function hanScale(text: string, at: number): { value: number; length: number } | undefined {
  let value = 1;
  let length = 0;
  const small = HAN_SMALL[text[at] ?? ''];
  if (small !== undefined) {
    value = small;
    length = 1;
  }
  const large = HAN_SCALES[text[at + length] ?? ''];
  if (large !== undefined) {
    value *= large;
    length += 1;
  }
  return length === 0 ? undefined : { value, length };
}

const HAN_NUMBER = /[〇一二三四五六七八九十百千两][〇一二三四五六七八九十百千万萬億亿兆两]*/y;
/** What may follow a number in kanji; otherwise it is part of a word: 五十嵐, 千葉, 三重. */
const AFTER_HAN =
  /^(?:$|[^\p{Script=Han}]|年|月|日|人|名|位|個|个|回|次|本|台|円|元|歳|岁|割|成|倍|度|米|公里|千米|公斤|吨|公顷|平方|立方|厘米|英里|英尺|世紀|世纪|座|所|校|戸|户|件|種|种|名|余|多|分之|分の|時|小时|週|周|秒|隻|匹|頭|头|棟|层|階|カ|ヶ|票|篇|冊|册|枚|張|张|家|国|美元|欧元|日元|英镑|亩)/u;

function readHan(text: string, at: number, language: Language): ReadNumber | undefined {
  if (language !== 'ja' && language !== 'zh') return undefined;
  HAN_NUMBER.lastIndex = at;
  const written = HAN_NUMBER.exec(text)?.[0];
  if (written === undefined) return undefined;
  const rest = text.slice(at + written.length, at + written.length + 3);
  const isAlone = written.length === 1 && !/^\p{Script=Han}/u.test(rest);
  // 三百万用户: anything with a scale is a number. 八百屋 and 九十九里 are not.
  const isScaled = (
    language === 'zh' ? /^[一二两三四五六七八九].*[百千万亿]/u : /^[一二三四五六七八九].*[万億]/u
  ).test(written);
  if (isAlone || (!isScaled && !AFTER_HAN.test(rest))) return undefined;
  const value = hanValue(written);
  if (value === undefined || value === 0) return undefined;
  const isPlain = /^[〇一二三四五六七八九]{4}$/.test(written);
  const precision = String(value).replace(/0+$/, '').length;
  return { value, length: written.length, precision, isPlain };
}

/** 一九一一 is positional, 三億五千万 has scales. */
export function hanValue(written: string): number | undefined {
  const digits = [...written.replaceAll('两', '二')].map((one) => HAN_DIGITS.indexOf(one));
  if (digits.every((digit) => digit >= 0)) return written.length > 4 ? undefined : Number(digits.join(''));
  let total = 0;
  let section = 0;
  let digit = -1;
  for (const character of written.replaceAll('两', '二')) {
    const large = HAN_SCALES[character];
    const small = HAN_SMALL[character];
    if (large !== undefined) {
      total += (section + Math.max(digit, 0) || 1) * large;
      section = 0;
      digit = -1;
    } else if (small !== undefined) {
      section += (digit < 0 ? 1 : digit) * small;
      digit = -1;
    } else digit = HAN_DIGITS.indexOf(character);
  }
  return total + section + Math.max(digit, 0);
}

/** Starting at two: `one`, `ein` and `un` are more often articles than numbers. */
const WORDS: Partial<Record<Language, Record<string, number>>> = {
  en: list(
    'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
    { thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 },
  ),
  de: list(
    'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
    { dreißig: 30, vierzig: 40, fünfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90 },
  ),
  es: list(
    'dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte',
    { treinta: 30, cuarenta: 40, cincuenta: 50, sesenta: 60, setenta: 70, ochenta: 80, noventa: 90 },
  ),
};

function list(words: string, more: Record<string, number>): Record<string, number> {
  return { ...Object.fromEntries(words.split(' ').map((word, index) => [word, index + 2])), ...more };
}

const WORD = /\p{L}+/uy;

function readWord(text: string, at: number, language: Language): ReadNumber | undefined {
  const words = WORDS[language];
  if (words === undefined || /[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ')) return undefined;
  WORD.lastIndex = at;
  const first = WORD.exec(text)?.[0] ?? '';
  let value = words[first.toLowerCase()];
  let { length } = first;
  if (value === undefined) {
    // "a million", "eine Million", "mil millones" count as one of it.
    const article = /^(?:an?|one|eine|una?)$/i.test(first);
    if (!article) return undefined;
    const one = scaled(text, at, { value: 1, length, precision: 1, isPlain: false }, language);
    return one.value >= 1e3 ? one : undefined;
  }
  const unit = /^-(\p{L}+)/u.exec(text.slice(at + length));
  const ones = words[unit?.[1]?.toLowerCase() ?? ''];
  if (unit !== null && value >= 20 && ones !== undefined && ones < 10) {
    value += ones;
    length += unit[0].length;
  }
  const precision = String(value).replace(/0+$/, '').length;
  return scaled(text, at, { value, length, precision, isPlain: false }, language);
}
