import { cleanText, clip, oneLine, type OwnText, type Written } from './text.ts';

declare const WEB: unique symbol;

/**
 * Text from outside that could end in a sentence of ours: a header, the words of a provider. To the type checker it is no string, so
 * it fits into no message. Look at it with `known`, parse it with `rawText`, or hand it on as the cause of a failure, for the log.
 */
export interface WebText {
  readonly [WEB]: true;
}

/** What may stand in a sentence of ours: numbers, words that are written in our source, and sentences of ours. */
type Sayable<Value> = Value extends number | bigint | boolean ? Value : Written<Value>;

/** A sentence of ours with values in it. Strings do not fit: say with `asked` or `named` whose words they are. */
export const own = <const Values extends readonly unknown[]>(
  words: TemplateStringsArray,
  ...values: { [Index in keyof Values]: Sayable<Values[Index]> } & Values
): OwnText => words.reduce((text, part, index) => `${text}${String(values[index - 1])}${part}`) as OwnText;

const ASKED_CHARS_MAX = 2_100;

/** What the caller wrote, said back to the caller: on one line, and not without end. */
export const asked = (text: string): OwnText => clip(oneLine(text), ASKED_CHARS_MAX) as OwnText;

/** A name that the operator or our own source gave: of a provider, a setting, a file, a limit. */
export const named = (text: string): OwnText => cleanText(text) as OwnText;

/** Several texts of ours as one. */
export const listed = (texts: Iterable<OwnText | number>, between = ', '): OwnText =>
  [...texts].join(between) as OwnText;

/** Text as it came from outside. */
export const webText = (text: string): WebText => text as unknown as WebText;

/** The characters of a text from outside, to be parsed, compared or logged. */
export const rawText = (text: WebText): string => text as unknown as string;

/** The word of ours that a text from outside is, if it is one. */
export const known = <const Word extends string>(text: WebText, words: readonly Word[]): Word | undefined =>
  words.find((word) => word === rawText(text).trim().toLowerCase());
