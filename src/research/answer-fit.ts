import { answerTypeOf, canAnswer } from '../evidence/answer-type.ts';
import { createCover } from '../rank/cover.ts';
import { askedParts } from './plan.ts';

/** How well a sentence fits a part of the question, 0–1. */
interface Fit {
  value: number;
  /** Whether the part says what kind of thing it asks for, and the sentence can hold one. */
  isOfType: boolean;
  /** How many of the words of the part it has, 0–1. */
  whole: number;
}

/** What the words that a part has in common with others count beside its own. */
const WHOLE_SHARE = 0.5;

/** How well a sentence fits each part of the question: whether it can hold what is asked for, and has the words of that part. */
export function createAnswerFit(query: string): (sentence: string) => Fit[] {
  const parts = askedParts(query).map(({ asked, words }) => ({
    asked,
    type: answerTypeOf(asked),
    cover: words.length === 0 ? undefined : createCover(words.join(' ')),
    whole: createCover(asked),
  }));
  return (sentence) => {
    const covered = parts.map(({ cover }) => cover?.of(sentence));
    // A part without words of its own is answered by what has none of the others.
    const rest = 1 - Math.max(0, ...covered.map((share) => share ?? 0));
    return parts.map(({ asked, type, whole }, at) => {
      const isOfType = type !== undefined && canAnswer(type, sentence, asked);
      const share = whole.of(sentence);
      if (type !== undefined && !isOfType) return { value: 0, isOfType, whole: share };
      const words = (1 - WHOLE_SHARE) * (covered[at] ?? rest) + WHOLE_SHARE * share;
      return { value: ((isOfType ? 1 : 0) + words) / 2, isOfType, whole: share };
    });
  };
}

/** What a sentence gains that can hold what a part of the question asks for. */
const FIT_GAIN = 0.2;
/** Questions that ask for a definition. */
const ASKS_WHAT =
  /^(?:what|who) (?:is|are|was|were)\b(?! (?:wrong|known|going on|happening)\b)|^(?:was|wer) ist\b|^¿?qué es\b|^qu['’]est-ce\b|とは|什么是|是什么/iu;

/** Whether a question asks what a thing is. */
export const asksWhat = (query: string): boolean => ASKS_WHAT.test(query);

/** A sentence with nearly all words of a part fits it, whatever kind of thing that asks for. */
const WHOLE = 0.95;

/** How well sentences fit the part of the question that they fit best, 0–1: 0 if they cannot hold what it asks for. */
export function createBestFit(query: string): (sentence: string) => number {
  const fitOf = createAnswerFit(query);
  return (sentence) =>
    Math.max(
      0,
      ...fitOf(sentence).map(({ value, isOfType, whole }) => (isOfType ? value : whole >= WHOLE ? whole : 0)),
    );
}

/** What a sentence is worth that fits so well. */
export const answerWeight = (fit: number): number => 1 + FIT_GAIN * fit;
