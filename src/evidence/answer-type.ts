import { isStopWord } from '../rank/stop-words.ts';
import { figuresOf } from './figures.ts';
import { hasDigit, hasNumber } from './numbers.ts';

/** What kind of thing a question asks for. */
export type AnswerType = 'why' | 'when' | 'cost' | 'count' | 'who' | 'where';

/** How questions ask for it, in the languages with word lists and some others. */
const ASKING: [AnswerType, RegExp][] = [
  [
    'why',
    /\b(?:why|what (?:caused|causes|led to|is the (?:cause|reason))|warum|wieso|weshalb|por qué|pourquoi|perché|por que)(?![\p{L}])|なぜ|どうして|为什么|为何|почему/iu,
  ],
  [
    'when',
    /\b(?:when|(?:what|which) (?:year|date|day|month|century|decade)|since when|wann|welche[ms] (?:jahr|tag|monat|datum)|cuándo|qué (?:año|fecha|día|mes|siglo)|quand|quelle (?:année|date)|quando|ne zaman|hangi yıl|khi nào|năm nào|când|ce (?:an|dată))(?![\p{L}])|什么时候|何时|哪一?年|哪一?[天月日]|いつ|何年|何月|何世紀|متى|أي عام|когда|каком году|πότε|ποιο έτος|ποια χρονιά|कब|किस (?:वर्ष|साल)|เมื่อ(?:ไร|ไหร่|ใด)|ปี(?:ใด|ไหน)/iu,
  ],
  [
    'cost',
    /\b(?:what (?:does|do|did|will|would|has|have)\b.{1,80}\bcost|how much\b.{1,80}\b(?:costs?|paid|worth)|what (?:is|was) the (?:price|cost) of|was kosten|was kostet\w*|wie teuer|cuánto (?:cuesta|costó|ha costado)|combien (?:coûte|a-t-(?:il|elle) coûté))(?![\p{L}])|いくら|費用|多少钱/iu,
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

/** The kind of thing that a question asks for first, if it says so. */
export const answerTypeOf = (question: string): AnswerType | undefined =>
  ASKING.map(([type, pattern]) => ({ type, at: question.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0]?.type;

const NAMED = /(?<=[\p{L}\p{N},;:)"”’]\s)["“(]?\p{Lu}[\p{L}\p{M}-]+/gu;

/** Whether a sentence has a name that the question does not. Scripts without capitals do not show names, so a missing one means nothing. */
export const namesOther = (sentence: string, question: string): boolean => {
  const asked = question.toLowerCase();
  return (sentence.match(NAMED) ?? []).some((name) => !asked.includes(name.toLowerCase()));
};

/** Whether a sentence begins with a name that the question does not have. */
const startsWithName = (sentence: string, question: string): boolean => {
  const [first = ''] = /^\p{Lu}[\p{L}\p{M}-]+/u.exec(sentence) ?? [];
  return (
    first !== '' && !isStopWord(first.toLowerCase()) && !question.toLowerCase().includes(first.toLowerCase())
  );
};

/** Words that give a cause or a reason. */
const CAUSE =
  /\b(?:because|due to|owing to|caus(?:e|es|ed|ing)|led to|leads to|result(?:s|ed)? (?:from|of)|as a result|so that|blam\p{L}+|reasons?|attribut\p{L}+|traced to|thanks to|in order to|had to|no longer|could not|weil|wegen|aufgrund|gründe?|damit|deshalb|porque|debido|a causa|motivos?|por (?:el|la|los|las|culpa)|parce|afin|en raison|à cause|faute d[e'])(?![\p{L}])|ため|ので|理由|原因|因为|由于|因此|导致/iu;
const MONEY =
  /[£$€¥₹]|\b(?:[Ee]uros?|[Dd]ollars?|[Pp]ounds?|[Cc]rowns?|[Ff]rancs?|[Pp]esos?|[Yy]en|EUR|USD)\b|円|元/u;

/** Whether a sentence can hold an answer of this type. */
export function canAnswer(type: AnswerType, sentence: string, question: string): boolean {
  if (type === 'why') return CAUSE.test(sentence);
  if (type === 'cost') return MONEY.test(sentence) && hasNumber(sentence);
  if (type === 'count') return hasNumber(sentence);
  if (type !== 'when')
    return !/\p{Lu}/u.test(sentence) || startsWithName(sentence, question) || namesOther(sentence, question);
  return hasDigit(sentence) && figuresOf(sentence).some(({ kind }) => kind === 'date');
}
