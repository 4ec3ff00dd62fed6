import { answerTypeOf, canAnswer } from '../evidence/answer-type.ts';
import { isDefinition, isMethodSentence } from '../evidence/notice.ts';
import { createCover } from '../rank/cover.ts';
import { askedParts } from './plan.ts';

/** How well a sentence fits a part of the question, 0–1. */
interface Fit {
  value: number;
  /** Whether the part says what kind of thing it asks for, and the sentence can hold one. */
  isOfType: boolean;
}

/** How well a sentence fits each part of the question: whether it can hold what is asked for, and has the words of that part. */
export function createAnswerFit(query: string): (sentence: string) => Fit[] {
  const parts = askedParts(query).map(({ asked, words }) => ({
    asked,
    type: answerTypeOf(asked),
    cover: createCover(words.join(' ')),
  }));
  return (sentence) =>
    parts.map(({ asked, type, cover }) => {
      const isOfType = type !== undefined && canAnswer(type, sentence, asked);
      if (type !== undefined && !isOfType) return { value: 0, isOfType };
      return { value: ((isOfType ? 1 : 0) + cover.of(sentence)) / 2, isOfType };
    });
}

/** What a sentence gains that can hold what a part of the question asks for. */
const FIT_GAIN = 0.2;
/** How something was found out, and what a thing is, is worth less than what is asked. */
const METHOD_WEIGHT = 0.75;
const DEFINITION_WEIGHT = 0.85;
/** Questions that ask for a definition. */
const ASKS_WHAT =
  /^(?:what|who) (?:is|are|was|were)\b|^(?:was|wer) ist\b|^¿?qué es\b|^qu['’]est-ce\b|とは|什么是|是什么/iu;

/** What the kind of a sentence is worth for an answer to the question. */
export function createAnswerWeight(query: string): (sentence: string) => number {
  const fitOf = createAnswerFit(query);
  const asksWhat = ASKS_WHAT.test(query);
  return (sentence) => {
    const fit = Math.max(...fitOf(sentence).map(({ value, isOfType }) => (isOfType ? value : 0)));
    const isBackground = isDefinition(sentence) && !asksWhat;
    const kind = isMethodSentence(sentence) ? METHOD_WEIGHT : isBackground ? DEFINITION_WEIGHT : 1;
    return kind * (1 + FIT_GAIN * fit);
  };
}
