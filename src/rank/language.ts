const setOf = (words: string): Set<string> => new Set(words.split(' '));

/** Function words that make up a tenth of any English text and are hardly words of other languages. */
const ENGLISH = setOf(
  'the of and to is that for with by are what which how when who where did does was were',
);
/**
 * Those of other languages, mainly of the ones that are written with few accents. Words that are also names
 * in code (`os`, `on`, `do`) are left out.
 */
const OTHERS = setOf(
  'di il la le che della del sono een het van voor wat welke yang untuk dengan pada der die das ' +
    'und ist von wie wer den el los las que por para en de les des est dans pour och att som og til ' +
    'din pe ve bir ile je egy hogy uma um nella gli niet zijn',
);
const LATIN_WORD = /[a-z\u00C0-\u024F\u1E00-\u1EFF][\u0300-\u036Fa-z\u00C0-\u024F\u1E00-\u1EFF]*/gi;
const ASCII_WORD = /^[a-z]+$/i;

/** A language shows within this many characters. */
const SAMPLE_CHARS = 1_000;
/** Foreign names and words occur in English text, and short function words in code. */
const NAMES_SHARE = 0.05;

/** True for text in Latin letters that is clearly in another language than English. */
export function isForeign(text: string): boolean {
  const words = text.slice(0, SAMPLE_CHARS).match(LATIN_WORD) ?? [];
  let evidence = -words.length * NAMES_SHARE;
  for (const word of words) {
    const lower = word.toLowerCase();
    if (ENGLISH.has(lower)) evidence -= 1;
    else if (OTHERS.has(lower) || !ASCII_WORD.test(word)) evidence += 1;
  }
  return evidence > 0;
}

/** True for a question in Latin letters that may be English. */
export const isEnglish = (question: string): boolean =>
  !isForeign(question) && /^[\u0000-\u024F\u2000-\u206F]*$/.test(question);

/** A cheap test that rejects nearly all other text. */
const MAYBE_TONED = /[\u0300-\u0302\u0306\u0309\u031B\u0323\u1EA0-\u1EF9ơưđƠƯĐìàóăáê]/;
/** Letters and function words that only Vietnamese has. */
const TONED =
  /[\u1EA0-\u1EF9ơưđƠƯĐ]|[oOuU]\u031B|\u0323|\u0309|(?<!\p{L})(?:là|gì|nào|năm|có|các|nhiêu)(?!\p{L})/gu;
const TONED_SHARE = 0.03;

/** True for Vietnamese, where marks tell words apart. */
export function isVietnamese(text: string): boolean {
  const sample = text.slice(0, SAMPLE_CHARS);
  if (!MAYBE_TONED.test(sample)) return false;
  // One may be that of a name.
  return (sample.match(TONED)?.length ?? 0) > Math.max(1, sample.length * TONED_SHARE);
}
