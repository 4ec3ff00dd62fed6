/** Languages with word lists. Others are read as English: figures and names still count. */
export type Language = 'en' | 'de' | 'es' | 'ja' | 'zh';

const MARKERS: [Language, RegExp][] = [
  [
    'de',
    /(?:^|\s)(?:der|die|das|den|dem|des|ein|eine|einer|einen|und|ist|sind|war|wurde|wurden|nicht|mit|von|im|für|auf|hat|kein|keine|zu|seit|rund|beim|vom)(?=\s|[.,;:!?]|$)|[äöüß]/giu,
  ],
  [
    'es',
    /(?:^|\s|¿)(?:el|la|los|las|un|una|y|es|son|fue|fueron|con|del|de|en|que|por|para|se|su|al|ha|han|más|desde|unos|unas|tiene)(?=\s|[.,;:!?]|$)|[áéíóúñ¿¡]/giu,
  ],
  [
    'en',
    /(?:^|\s)(?:the|a|an|and|is|are|was|were|of|with|in|that|for|by|has|have|had|to|it|its|on|at|not|from)(?=\s|[.,;:!?]|$)/giu,
  ],
];

/** The language of a sentence by script and function words, else that of the text around it. */
export function languageOf(sentence: string, surroundings = ''): Language {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sentence)) return 'ja';
  const han = sentence.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (han > 0 && han * 3 > (sentence.match(/\p{L}/gu)?.length ?? 0)) return 'zh';
  const [best] = MARKERS.map(([language, pattern]) => ({
    language,
    count: sentence.match(pattern)?.length ?? 0,
  })).toSorted((a, b) => b.count - a.count);
  if (best === undefined || best.count === 0) return surroundings === '' ? 'en' : languageOf(surroundings);
  return best.language;
}
