import type { Source } from '../../core/source.ts';
import { hostOf } from '../../core/url.ts';
import { answerTypeOf, namesOther } from '../../evidence/answer-type.ts';
import { hasDigit, hasNumber } from '../../evidence/numbers.ts';
import { readable } from '../../evidence/quote.ts';
import { sentencesOf } from '../../evidence/sentences.ts';
import { createCover, NONE_BELOW } from '../../rank/cover.ts';
import { createQueryModel } from '../../rank/bm25.ts';
import { rankChunks } from '../../rank/rank.ts';
import { estimateTokens } from '../../rank/tokens.ts';

const SOURCES_MAX = 5;
const SENTENCES_MAX = 5;
const TOKENS_MAX = { basic: 200, advanced: 400 };
/** How much the sentences around a sentence count beside itself. */
const AROUND_WEIGHT = 0.5;
/** Sentences on passages that cover less than this share of what the best one does are about something else. */
const BEST_SHARE = 0.5;

/** An answer without a model. */
interface QuotedAnswer {
  /** The sentences, each with its site and the number of its result. */
  text: string;
  /** True when the question asks for a figure and no sentence has one. */
  isLacking: boolean;
}

/** The sentences of the top sources that answer best, as many as fit, quoted. */
export function extractiveAnswer(
  question: string,
  sources: Source[],
  length: 'basic' | 'advanced' = 'basic',
): QuotedAnswer | undefined {
  const check = createTypeCheck(question);
  const sentences = sentencesAbout(question, sources);
  const model = createQueryModel(question);
  const around = model.score(sentences.map(({ passage }) => model.count(passage)));
  const aroundMax = Math.max(...around, Number.MIN_VALUE);
  const own = scoresOf(question, sentences);
  const ranked = sentences
    .map((one, at) => {
      const score = (own.get(one.id) ?? 0) + (AROUND_WEIGHT * (around[at] ?? 0)) / aroundMax;
      return { ...one, score: score * check.weigh(one.content) };
    })
    .filter(({ id }) => own.has(id))
    .sort((a, b) => b.score - a.score);
  let room = TOKENS_MAX[length];
  const best = ranked.filter(({ content }, at) => {
    const tokens = estimateTokens(content);
    if (at > 0 && tokens > room) return false;
    room -= tokens;
    return true;
  });
  if (best.length === 0) return undefined;
  const quotes = best.slice(0, SENTENCES_MAX);
  const cited = quotes.map(
    ({ content, source, number }) => `“${content}” (${hostOf(source.url)} [${number}])`,
  );
  return {
    text: `Quoted from the results: ${cited.join(' ')}`,
    isLacking: quotes.every(({ content }) => check.lacks(content)),
  };
}

function sentencesAbout(question: string, sources: Source[]) {
  const cover = createCover(question);
  const sentences = sources.slice(0, SOURCES_MAX).flatMap((source, at) => {
    const all = sentencesOf(source.snippet).map(({ text, context }) => ({ text: readable(text), context }));
    return all.map(({ text, context = '' }, index) => {
      const around = all.slice(Math.max(0, index - 1), index + 2).map((one) => one.text);
      return {
        id: `${at}#${index}`,
        content: text,
        passage: around.join(' '),
        source,
        number: at + 1,
        cover: cover.of(text),
        about: cover.of(source.title, context, ...around),
      };
    });
  });
  const least = Math.max(NONE_BELOW, BEST_SHARE * Math.max(...sentences.map(({ about }) => about)));
  return sentences.filter((one) => one.about >= least && one.cover > 0);
}

/** The scores of texts that match at all and do not repeat another. */
const scoresOf = (question: string, texts: { id: string; content: string }[]): Map<string, number> =>
  new Map(
    rankChunks(question, texts, { chunksPerSource: 1 })
      .filter(({ score, duplicateOf }) => score > 0 && duplicateOf === undefined)
      .map(({ id, score }) => [id, score]),
  );

/** Says whether a sentence can hold the kind of thing that a question asks for, and what that changes. */
interface TypeCheck {
  /** The factor for the score of a sentence. */
  weigh(sentence: string): number;
  /** True when the answer must be a figure, and there is none in the sentence. */
  lacks(sentence: string): boolean;
}

function createTypeCheck(question: string): TypeCheck {
  const type = answerTypeOf(question);
  const lacks = (sentence: string): boolean =>
    (type === 'when' && !hasDigit(sentence)) ||
    ((type === 'count' || type === 'cost') && !hasNumber(sentence));
  const hasName = (sentence: string): boolean =>
    (type === 'who' || type === 'where') && namesOther(sentence, question);
  return { lacks, weigh: (sentence) => (lacks(sentence) ? LACKING : hasName(sentence) ? NAMING : 1) };
}

const LACKING = 0.6;
const NAMING = 1.1;
