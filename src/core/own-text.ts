import { cleanText, clip, oneLine, type OwnText, type SafeText, type Written } from './text.ts';

declare const WEB: unique symbol;

/**
 * Text from outside that might end up in a message: a header, an error text of a provider. To the type
 * checker it is not a string, so it cannot be put into a message. Compare it with `known`, parse it with
 * `rawText`, or pass it as the cause of a failure, for the log.
 */
export interface WebText {
  readonly [WEB]: true;
}

/** Values that may appear in our messages: numbers, literals of our source, and other messages of ours. */
type Sayable<Value> = Value extends number | bigint | boolean ? Value : Written<Value>;

/**
 * Builds a message of our own from a template. Plain strings are not accepted: `asked` and `named` mark whose
 * words they are.
 */
export const own = <const Values extends readonly unknown[]>(
  words: TemplateStringsArray,
  ...values: { [Index in keyof Values]: Sayable<Values[Index]> } & Values
): OwnText => words.reduce((text, part, index) => `${text}${String(values[index - 1])}${part}`) as OwnText;

type Printable<Value> = Value extends SafeText ? Value : Sayable<Value>;

/** Builds a text for a caller from a template. Text from outside has to go through the fence or an escaper first. */
export const safe = own as unknown as <const Values extends readonly unknown[]>(
  words: TemplateStringsArray,
  ...values: { [Index in keyof Values]: Printable<Values[Index]> } & Values
) => SafeText;

/** Joins texts for a caller; empty ones count. */
export const joined = (texts: readonly SafeText[], between: string): SafeText =>
  texts.join(between) as SafeText;

/**
 * Builds a warning: what the caller should know about an answer. `src/toolsets/compat/tavily-ja/warnings.ts` has every template in
 * Japanese, and a test compares the two.
 */
export const warned = ((words: TemplateStringsArray, ...values: never[]) =>
  own(words, ...values)) as typeof own;

/**
 * Builds what is said about the setup or a report: a finding of the doctor, what a provider lacks, a limitation of a research. The
 * console's `said-ja.js` has every template in Japanese, and a test compares the two.
 */
export const diagnosed = ((words: TemplateStringsArray, ...values: never[]) =>
  own(words, ...values)) as typeof own;

const ASKED_CHARS_MAX = 2_100;

/** Text of the caller, repeated to the caller: on one line and truncated. */
export const asked = (text: string): OwnText => clip(oneLine(text), ASKED_CHARS_MAX) as OwnText;

/** A name given by the operator or by our source: of a provider, a setting, a file, a limit. */
export const named = (text: string): OwnText => cleanText(text) as OwnText;

/** Joins several of our own texts. */
export const listed = (texts: Iterable<OwnText | number>, between = ', '): OwnText =>
  [...texts].join(between) as OwnText;

/** Marks a text as coming from outside. */
export const webText = (text: string): WebText => text as unknown as WebText;

/** The characters of a text from outside, to parse, compare or log. */
export const rawText = (text: WebText): string => text as unknown as string;

/** Matches a text from outside against a list of our own words; undefined when it is none of them. */
export const known = <const Word extends string>(text: WebText, words: readonly Word[]): Word | undefined =>
  words.find((word) => word === rawText(text).trim().toLowerCase());
