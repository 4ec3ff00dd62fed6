declare const OWN: unique symbol;

/** Words of ours. What Headgate says itself (failures, warnings, reasons) is of this type, and nothing from outside is. */
export type OwnText = string & { readonly [OWN]: true };

/** A text that is written in our source. `string`, and a template with a string in it, is what somebody else may have written. */
export type Written<Text> = Text extends OwnText
  ? Text
  : Text extends string
    ? // oxlint-disable-next-line typescript/no-generated-empty-object-type -- tells a literal from `string`
      Record<never, never> extends Record<Text, 1>
      ? OwnText
      : Text
    : never;

/** Control characters other than tab and newline, plus lone surrogates, which are not text. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Invisible characters that can smuggle text past a person: zero-width, bidi controls, fillers, annotation marks, and
 * all of plane 14 (tags and the supplementary variation selectors, which can carry any bytes).
 */
const INVISIBLE =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu;

/** What may have to be cleaned; most texts hold nothing of it, and one look without looking around finds that out. */
const SUSPECT =
  /[\0-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFEFF\uFFA0\uFFF9-\uFFFB]/;

/** Text that is safe to print: valid UTF-16, no control or smuggling characters, Unix newlines. */
export function cleanText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(/\r\n?/g, '\n').replace(UNPRINTABLE, '').replace(INVISIBLE, '');
}

/** Clean text on one line. */
export function oneLine(text: string): string {
  const clean = cleanText(text);
  return ONE_WORD.test(clean) ? clean : clean.replace(/\s+/g, ' ').trim();
}

const ONE_WORD = /^[\x21-\x7e]*$/;

/** Clean text on one line that keeps its own white space, such as U+3000; only line breaks and tabs become a space, and the ends are bare. */
export function unbrokenLine(text: string): string {
  const clean = cleanText(text);
  if (ONE_WORD.test(clean)) return clean;
  const line = clean.replace(/[\t\n\r\u2028\u2029 ]+/g, (run, at: number) => {
    const isEnd = at === 0 || at + run.length === clean.length;
    return isEnd ? '' : /^ +$/.test(run) ? run : ' ';
  });
  return line.trim() === '' ? '' : line;
}

/** Cuts to at most `max` UTF-16 units without splitting a character, ending in `…` when something was cut. */
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

/** Sentences, one after the other: each ends with exactly one mark before the next begins. Nothing and blanks are left out. */
export const joinSentences = <const Texts extends readonly (string | undefined)[]>(
  ...sentences: Texts
): Joined<Exclude<Texts[number], undefined>> =>
  sentences
    .flatMap((one) => (one === undefined || one.trim() === '' ? [] : [one]))
    .reduce<string>((text, next) => `${ended(text)}${next.startsWith('\n') ? '' : ' '}${next}`, '')
    .replace(/^ /, '') as Joined<Exclude<Texts[number], undefined>>;

type Joined<Text> = [Text] extends [Written<Text>] ? OwnText : string;

/** A text as one sentence: keeps a mark that is there, makes two periods one, and puts one where none is. */
export function ended<Text extends string>(text: Text): Text extends OwnText ? OwnText : string;
export function ended(text: string): string {
  const bare = text.trimEnd();
  if (bare === '') return '';
  if (/(^|[^.])\.\.$/.test(bare)) return bare.slice(0, -1);
  return /[.!?:;…。！？：；][)\]"'”’`」』]*$/.test(bare) ? bare : `${bare}.`;
}

/** `5 MB`, or bytes where that would not be exact. */
export const byteSize = (bytes: number): OwnText =>
  bytes > 0 && bytes % MIB === 0 ? (`${bytes / MIB} MB` as OwnText) : plural(bytes, 'byte');
