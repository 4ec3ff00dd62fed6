import { markedAs, type Figure } from './figure.ts';
import { languageOf, type Language } from './language.ts';
import { hanNumber, isYear, dateInSentence, yearAt } from './dates.ts';
import { readNumber, type ReadNumber } from './numbers.ts';
import { currencyOf, readUnit } from './units.ts';

const RANGE = /^\s?(?:[-–—〜～~]|to\s|bis\s|and\s|und\s|y\s|a\s|hasta\s|から|至|到)\s?/iu;
const RANGE_BEGIN = /\b(?:between|zwischen|entre)\s$/iu;

/** The figures of a sentence, in order: numbers with unit and scale in digits, kanji or words, shares (`a third`), years, days and centuries. */
export function figuresOf(sentence: string, language: Language = languageOf(sentence)): Figure[] {
  const text = sentence.normalize('NFKC');
  const figures: Figure[] = [];
  let at = 0;
  while (at < text.length) {
    const found = readFigure(text, at, language);
    if (found !== undefined) figures.push(found);
    at = found?.end ?? at + 1;
  }
  return figures;
}

function readFigure(text: string, at: number, language: Language): Figure | undefined {
  const character = text[at] ?? '';
  if (!/[\p{L}\p{N}$€£¥]/u.test(character)) return undefined;
  const isInside =
    /[\p{L}\p{N}_]/u.test(text[at - 1] ?? ' ') && !/[^\u0000-\u024F]/.test(text[at - 1] ?? ' ');
  if (isInside) return undefined;
  // A version, an identifier: v2.4, A380, COVID-19.
  if (/[\p{L}\d][.,]$/u.test(text.slice(Math.max(0, at - 2), at)) && /\d/.test(character)) return undefined;
  if (/\d/.test(character) && /[\p{Script=Latin}]-$/u.test(text.slice(Math.max(0, at - 2), at)))
    return undefined;
  return dateInSentence(text, at, language) ?? readShare(text, at) ?? readQuantity(text, at, language);
}

function readQuantity(text: string, at: number, language: Language): Figure | undefined {
  const sign = /[$€£¥]/.test(text[at] ?? '') ? (text[at] ?? '') : '';
  let from = at + sign.length;
  if (sign !== '' && text[from] === ' ') from += 1;
  const first = readNumber(text, from, language);
  if (first === undefined) return undefined;
  const number = sign === '' ? first : withMillions(text, from, first);
  if (number.isPlain && sign === '' && isYear(text, from, number, language))
    return yearAt(text, from, number, language);
  let end = from + number.length;
  const second = rangeEnd(text, end, language, RANGE_BEGIN.test(text.slice(0, at)));
  const isNumber = /^(?:\.\d|\p{Script=Latin}*\d)/u.test(text.slice(end));
  if (isNumber) return undefined;
  if (second !== undefined) end = second.end;
  const unit = readUnit(text.slice(end));
  // 5-year-old, 42-km-long: the unit may be joined by a hyphen; another word so joined makes a name of it.
  const currency = currencyOf(sign, language === 'zh');
  const isFahrenheit = currency === undefined && unit?.dimension === 'fahrenheit';
  // Millions of pounds are more often money than weight.
  const isMoney = number.value >= 1e6 && /^\s?(?:de\s)?(?:pounds|libras)\b/.test(text.slice(end));
  const dimension = isMoney ? 'gbp' : isFahrenheit ? 'celsius' : (currency ?? unit?.dimension ?? '');
  const factor = currency === undefined && !isMoney ? (unit?.factor ?? 1) : 1;
  const based = (value: number): number => (isFahrenheit ? ((value - 32) * 5) / 9 : value * factor);
  end += unit?.length ?? 0;
  const high = second?.value ?? number.value;
  const scale = second === undefined || number.value >= 1e3 ? 1 : second.scale;
  return {
    kind: 'number',
    dimension,
    low: based(Math.min(number.value * scale, high)),
    high: based(high),
    precision: Math.max(number.precision, second?.precision ?? 0),
    ...markedAs(text, at, end),
    isConverted: factor !== 1 || isFahrenheit,
    text: text.slice(at, end).trim(),
    start: at,
    end,
  };
}

/** `$5m` means millions. */
function withMillions(text: string, at: number, number: ReadNumber): ReadNumber {
  const found = /^\s?(m|M|B|b)\b/.exec(text.slice(at + number.length));
  if (found === null) return number;
  const value = number.value * (/m/i.test(found[1] ?? '') ? 1e6 : 1e9);
  return { ...number, value, length: number.length + found[0].length, isPlain: false };
}

function rangeEnd(text: string, end: number, language: Language, isBetween: boolean) {
  const join = RANGE.exec(text.slice(end));
  if (join === null) return undefined;
  if (/^\s?(?:and|und|y)\s/i.test(join[0]) && !isBetween) return undefined;
  const from = end + join[0].length;
  const number = readNumber(text, from, language);
  if (number === undefined) return undefined;
  // 10–15 million: the scale applies to both.
  const digits = /^\d[\d.,]*/.exec(text.slice(from))?.[0].length ?? 0;
  const own = digits === 0 ? number : readNumber(text.slice(0, from + digits), from, language);
  const scale = own === undefined || own.value === 0 ? 1 : number.value / own.value;
  return { value: number.value, precision: number.precision, end: from + number.length, scale };
}

/** Shares in words, as percent. */
const SHARES: [RegExp, number][] = [
  [/^(?:two[\s-]thirds|zwei Drittel|dos tercios)\b|^(?:三分の二|3分の2|三分之二)/iu, 200 / 3],
  [
    /^(?:three[\s-]quarters|drei Viertel|tres cuartos|tres cuartas partes)\b|^(?:四分の三|4分の3|四分之三)/iu,
    75,
  ],
  [/^(?:half (?:of|the)|die Hälfte|la mitad)\b|^(?:半分|半数|一半)/iu, 50],
  [
    /^(?:an? third of|one[\s-]third|ein Drittel|un tercio|una tercera parte)\b|^(?:三分の一|3分の1|三分之一)/iu,
    100 / 3,
  ],
  [
    /^(?:an? quarter of|one[\s-]quarter|ein Viertel|un cuarto|una cuarta parte)\b|^(?:四分の一|4分の1|四分之一)/iu,
    25,
  ],
  [
    /^(?:an? fifth of|one[\s-]fifth|ein Fünftel|un quinto|una quinta parte)\b|^(?:五分の一|5分の1|五分之一)/iu,
    20,
  ],
  [/^(?:an? tenth of|one[\s-]tenth|ein Zehntel|una décima parte)\b|^(?:十分の一|10分の1|十分之一)/iu, 10],
];

function readShare(text: string, at: number): Figure | undefined {
  const rest = text.slice(at, at + 24);
  const chinese = /^百分之((?:[〇一二三四五六七八九十\d.]|百(?!分之))+)/u.exec(rest);
  const share = SHARES.find(([pattern]) => pattern.test(rest));
  const value = chinese !== null ? hanNumber(chinese[1]) : share?.[1];
  if (value === undefined || !Number.isFinite(value)) return undefined;
  const end = at + (chinese?.[0].length ?? share?.[0].exec(rest)?.[0].length ?? 0);
  const isThird = !Number.isInteger(value);
  return {
    kind: 'number',
    dimension: '%',
    low: value,
    high: value,
    precision: isThird ? 2 : 4,
    ...markedAs(text, at, end),
    isConverted: isThird,
    text: text.slice(at, end),
    start: at,
    end,
  };
}
