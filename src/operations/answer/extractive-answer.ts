import type { Source } from '../../core/source.ts';
import { hostOf } from '../../core/url.ts';
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

/** What kind of thing a question asks for. */
type AnswerType = 'when' | 'count' | 'who' | 'where';

/** How questions ask for it, in the languages with word lists and some others. */
const ASKING: [AnswerType, RegExp][] = [
  [
    'when',
    /\b(?:when|(?:what|which) (?:year|date|day|month|century|decade)|since when|wann|welche[ms] (?:jahr|tag|monat|datum)|cuándo|qué (?:año|fecha|día|mes|siglo)|quand|quelle (?:année|date)|quando|ne zaman|hangi yıl|khi nào|năm nào|când|ce (?:an|dată))(?![\p{L}])|什么时候|何时|哪一?年|哪一?[天月日]|いつ|何年|何月|何世紀|متى|أي عام|когда|каком году|πότε|ποιο έτος|ποια χρονιά|कब|किस (?:वर्ष|साल)|เมื่อ(?:ไร|ไหร่|ใด)|ปี(?:ใด|ไหน)/iu,
  ],
  [
    'count',
    /\b(?:how (?:many|much|long|far|old|tall|large|big|high|often|fast|deep|wide|heavy)|what (?:percent|percentage|share|number|amount|population|length|height)|wie (?:viele?|lange|hoch|alt|weit|groß|oft|tief|breit|schwer)|wieviele?|cuánt[oa]s?|combien|quant[oiae]s?|kaç|bao (?:nhiêu|lâu|xa)|cât(?:e|ă|ți)?)(?![\p{L}])|多少|多[长大高远久]|几[个年次人天位名]|いくつ|いくら|何(?:人|個|回|歳|年間|キロ|メートル|パーセント|%|時間|日間|か国|カ国)|どのくらい|どれくらい|كم |сколько|πόσ|कितन|กี่|เท่า(?:ไร|ใด|ไหร่)/iu,
  ],
  [
    'who',
    /\b(?:who|whom|whose|wer|wem|wen|wessen|qui[eé]n(?:es)?|qui|quem|kim(?:in|e|ler)?|cine|cui)(?![\p{L}])|谁|誰|だれ|^من |кто|кем|кого|ποι(?:ος|οι|ον)|किसने|कौन|ใคร/iu,
  ],
  [
    'where',
    /\b(?:where|(?:what|which) (?:city|country|place|state|region)|wo|wohin|woher|dónde|où|dove|onde|nerede|nereye|hangi (?:şehir|ülke)|ở đâu|unde)(?![\p{L}])|哪里|哪裡|在哪|哪个(?:国家|城市|地方)|どこ|أين|где|куда|πού|कहाँ|ที่ไหน|ประเทศใด/iu,
  ],
];

const NAMED = /(?<=[\p{L}\p{N},;:)"”’]\s)["“(]?\p{Lu}[\p{L}\p{M}-]+/gu;

/** Says whether a sentence can hold the kind of thing that a question asks for, and what that changes. */
interface TypeCheck {
  /** The factor for the score of a sentence. */
  weigh(sentence: string): number;
  /** True when the answer must be a figure, and there is none in the sentence. */
  lacks(sentence: string): boolean;
}

function createTypeCheck(question: string): TypeCheck {
  const type = ASKING.find(([, pattern]) => pattern.test(question))?.[0];
  const asked = question.toLowerCase();
  const lacks = (sentence: string): boolean =>
    (type === 'when' && !hasDigit(sentence)) || (type === 'count' && !hasNumber(sentence));
  // Scripts without capitals do not show names, so a missing one means nothing.
  const hasName = (sentence: string): boolean =>
    (type === 'who' || type === 'where') &&
    (sentence.match(NAMED) ?? []).some((name) => !asked.includes(name.toLowerCase()));
  return { lacks, weigh: (sentence) => (lacks(sentence) ? LACKING : hasName(sentence) ? NAMING : 1) };
}

const LACKING = 0.6;
const NAMING = 1.1;
