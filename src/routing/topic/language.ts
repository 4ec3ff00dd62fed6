/** Scripts that only one large encyclopaedia is written in, or that one is the best guess for. */
const SCRIPTS: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}{3}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/[پچژگ]/u, 'fa'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Bengali}/u, 'bn'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Thai}/u, 'th'],
];

/** Frequent words that tell languages in Latin script apart. */
const WORDS: Record<string, string> = {
  en: 'the of and is are was what who how when where which why does did with for from by about',
  de: 'der die das und ist ein eine von mit für wie was wer wann wo welche welcher warum nicht bei zum zur im über wird wurde auf',
  fr: 'le la les et est un une des du de pour avec comment qui quand où quelle quel pourquoi dans sur au aux que en qu',
  es: 'el los las y es un una del de para con cómo quién cuándo dónde cuál qué por en que sobre al se hay',
  it: 'il lo gli e è un una della del di per con come chi quando dove quale perché che in nel sono cosa',
  pt: 'o os as e é um uma do da de para com como quem quando onde qual por que em não são uma ao',
  nl: 'de het een en is van met voor hoe wie wanneer waar welke waarom niet bij zijn wat',
};
const LANGUAGES = Object.entries(WORDS).map(
  ([language, words]) => [language, new Set(words.split(' '))] as const,
);

/** True when a query is written in another script than the Latin one. */
export const isOtherScript = (query: string): boolean => SCRIPTS.some(([script]) => script.test(query));

/** The language that a query is probably written in; English when nothing says otherwise. */
export function queryLanguage(query: string): string {
  const script = SCRIPTS.find(([pattern]) => pattern.test(query));
  if (script !== undefined) return script[1];
  const words = query.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best = { language: 'en', count: 0 };
  for (const [language, known] of LANGUAGES) {
    const count = words.filter((word) => known.has(word)).length;
    if (count > best.count) best = { language, count };
  }
  return best.language;
}
