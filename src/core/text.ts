declare const SAFE: unique symbol;
declare const OWN: unique symbol;

/**
 * Text that may be printed to a caller: our own, and text from outside that has been through the fence or an escaper.
 * A plain `string` may be anybody's and is not accepted.
 */
export type SafeText = string & { readonly [SAFE]: true };

/** Text written by Headgate itself: failures, warnings, reasons. Text from outside never has this type. */
export type OwnText = SafeText & { readonly [OWN]: true };

/** What a text is after it was cleaned or cut: no less ours or safe than before. */
type Kept<Text> = Text extends OwnText ? OwnText : Text extends SafeText ? SafeText : string;

/** The fields of an answer in which Headgate speaks. All others are data. */
type OwnField = 'error' | 'failure_error' | 'reason' | 'warnings' | 'why';

/** An answer whose own fields, at any depth, contain only text of ours. */
export type Voiced<Value, IsOwn = false> = Value extends string
  ? IsOwn extends true
    ? OwnText
    : Value
  : Value extends readonly (infer Item)[]
    ? Voiced<Item, IsOwn>[]
    : Value extends object
      ? { [Name in keyof Value]: Voiced<Value[Name], Name extends OwnField ? true : false> }
      : Value;

/**
 * Accepts literals of our source only. A `string`, or a template that contains one, may be somebody else's
 * text.
 */
export type Written<Text> = Text extends OwnText
  ? Text
  : Text extends string
    ? // oxlint-disable-next-line typescript/no-generated-empty-object-type -- tells a literal from `string`
      Record<never, never> extends Record<Text, 1>
      ? OwnText
      : Text
    : never;

/** Control characters other than tab and newline, and lone surrogates. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Invisible characters that can hide text from a person: zero-width characters, bidi controls, fillers,
 * annotation marks, and all of plane 14 (tags and supplementary variation selectors, which can carry
 * arbitrary bytes).
 */
const INVISIBLE =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu;

/** A cheap first test: most texts contain nothing that has to be cleaned. */
const SUSPECT =
  /[\0-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFEFF\uFFA0\uFFF9-\uFFFB]/;

/** Makes text safe to print: valid UTF-16, no control or invisible characters, Unix newlines. */
export function cleanText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(UNPRINTABLE, '')
    .replace(INVISIBLE, '');
}

/** Cleans a text and puts it on one line. */
export function oneLine<Text extends string>(text: Text): Kept<Text>;
export function oneLine(text: string): string {
  const clean = cleanText(text);
  return ONE_WORD.test(clean) ? clean : clean.replace(/\s+/g, ' ').trim();
}

const ONE_WORD = /^[\x21-\x7e]*$/;
/** ASCII without line breaks, tabs and spaces at its ends. */
const PLAIN_LINE = /^(?! )[\x20-\x7e]*(?<! )$/;

/**
 * Cleans a text and puts it on one line, keeping its own white space such as U+3000. Line breaks and tabs
 * become spaces; the ends are trimmed.
 */
export function unbrokenLine(text: string): string {
  const clean = cleanText(text);
  if (PLAIN_LINE.test(clean)) return clean;
  const line = clean.replace(/[\t\n\r\u2028\u2029 ]+/g, (run, at: number) => {
    const isEnd = at === 0 || at + run.length === clean.length;
    return isEnd ? '' : /^ +$/.test(run) ? run : ' ';
  });
  return line.trim() === '' ? '' : line;
}

/**
 * Folds a text to what it looks like: removes compatibility forms, accents and invisible characters, and replaces letters of other
 * scripts by the Latin letters they resemble. For comparisons only, never for output.
 */
export const foldLookAlikes = (text: string): string =>
  ASCII.test(text)
    ? text
    : text
        .normalize('NFKD')
        .replace(/[\p{M}\p{Cf}\u115F\u1160]/gu, '')
        .replace(/\u2800/g, ' ')
        .replace(LOOK_ALIKES, (char) => LATIN[OTHERS.indexOf(char)] ?? char);

const ASCII = /^[\0-\x7f]*$/;
const OTHERS = 'АВЕЅІЈКМНОРСТУХԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧаеѕіјорсухԁһԛԝѡոοαιτтв∶꞉ː׃‐‑‒–—―−∕⁄⧸‹〈⟨❮∗';
const LATIN = 'ABESIJKMHOPCTYXWABEZHIKMNOPTYXaesijopcyxdhqwwnoaittb::::-------///<<<<*';
const LOOK_ALIKES = new RegExp(`[${OTHERS}]`, 'g');

/**
 * Truncates to at most `max` UTF-16 units without splitting a character, and appends `…` if anything was cut.
 */
export function clip<Text extends string>(text: Text, max: number): Kept<Text>;
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = Math.max(0, max - 1);
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** `1 result`, `2 results`. */
export const plural = (count: number, noun: string): OwnText =>
  `${count} ${noun}${count === 1 ? '' : 's'}` as OwnText;

const MIB = 1024 * 1024;

/** Joins sentences so that each ends with exactly one punctuation mark. Empty ones are dropped. */
export const joinSentences = <const Texts extends readonly (string | undefined)[]>(
  ...sentences: Texts
): Joined<Exclude<Texts[number], undefined>> =>
  sentences
    .flatMap((one) => (one === undefined || one.trim() === '' ? [] : [one]))
    .reduce<string>((text, next) => `${ended(text)}${next.startsWith('\n') ? '' : ' '}${next}`, '')
    .replace(/^ /, '') as Joined<Exclude<Texts[number], undefined>>;

type Joined<Text> = [Text] extends [Written<Text>] ? OwnText : string;

/** Ends a text with exactly one punctuation mark: keeps the one it has, merges two periods, or adds one. */
export function ended<Text extends string>(text: Text): Text extends OwnText ? OwnText : string;
export function ended(text: string): string {
  const bare = text.trimEnd();
  if (bare === '') return '';
  if (/(^|[^.])\.\.$/.test(bare)) return bare.slice(0, -1);
  return /[.!?:;…。！？：；][)\]"'”’`」』]*$/.test(bare) ? bare : `${bare}.`;
}

/** `5 MB`, or bytes when that would not be exact. */
export const byteSize = (bytes: number): OwnText =>
  bytes > 0 && bytes % MIB === 0 ? (`${bytes / MIB} MB` as OwnText) : plural(bytes, 'byte');
