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

const FIGURE = /\p{N}|[一二三四五六七八九十百千万億亿兆]/u;
/** Numbers in words, as far as they are common. */
const NUMBER_WORD =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundreds?|thousands?|millions?|billions?|half|third|quarter|twice|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend|million(?:en)?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien(?:tos)?|mil|millones|deux|trois|quatre|cinq|huit|neuf|dix|cent|mille)\b/iu;
const NAMED = /(?<=[\p{L}\p{N},;:)"”’]\s)["“(]?\p{Lu}[\p{L}\p{M}-]+/gu;

/** Says whether a sentence can hold the kind of thing that a question asks for, and what that changes. */
export interface TypeCheck {
  /** The factor for the score of a sentence. */
  weigh(sentence: string): number;
  /** True when the answer must be a figure, and there is none in the sentence. */
  lacks(sentence: string): boolean;
}

export function createTypeCheck(question: string): TypeCheck {
  const type = ASKING.find(([, pattern]) => pattern.test(question))?.[0];
  const asked = question.toLowerCase();
  const lacks = (sentence: string): boolean =>
    (type === 'when' || type === 'count') &&
    !FIGURE.test(sentence) &&
    !(type === 'count' && NUMBER_WORD.test(sentence));
  // Scripts without capitals do not show names, so a missing one means nothing.
  const hasName = (sentence: string): boolean =>
    (type === 'who' || type === 'where') &&
    (sentence.match(NAMED) ?? []).some((name) => !asked.includes(name.toLowerCase()));
  return { lacks, weigh: (sentence) => (lacks(sentence) ? LACKING : hasName(sentence) ? NAMING : 1) };
}

const LACKING = 0.6;
const NAMING = 1.1;
