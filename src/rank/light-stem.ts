/** Longer words are compared by their beginning: compounds and most inflections differ after it. */
const STEM_CHARS_MAX = 6;

/** The endings (and, in Arabic, the article and joined particles) that inflection changes, by script. */
const SCRIPTS: { from: number; to: number; affixes: RegExp[] }[] = [
  { from: 0x61, to: 0x24f, affixes: [/(?<=.{4})s$/, /(?<=.{4})[aeiou]+$/] },
  { from: 0x370, to: 0x3ff, affixes: [/(?<=.{3})[σν]$/, /(?<=.{3})[αεηιουω]+$/] },
  {
    from: 0x400,
    to: 0x52f,
    affixes: [/(?<=.{3})[аеиоуыэюяйьъіїє]?[мхвтшл]?[аеиоуыэюяйьъіїє]*$/, /(?<=.{4})[аеиоуыэюяйьъіїє]+$/],
  },
  {
    from: 0x600,
    to: 0x6ff,
    affixes: [
      /^(?:و(?=...))?(?:ال|بال|كال|فال|لل|[بلف](?=....))?(?=..)/,
      /(?<=...)(?:ات|ون|ين|ان|ها|هم|يه|[هيا])$/,
      /(?<=...)[يات]$/,
    ],
  },
  { from: 0x900, to: 0x97f, affixes: [/(?<=..)[\u0900-\u0903\u093A-\u094D]+$/] },
  { from: 0x530, to: 0x5ff, affixes: [] },
  { from: 0x10a0, to: 0x10ff, affixes: [] },
];

/**
 * A light stem for languages other than English: endings are dropped and long words are cut. It needs no
 * dictionary and does not know which language it reads, only its script. The word is folded and in lower
 * case; words of other scripts and words with digits are returned unchanged.
 */
export function lightStem(word: string): string {
  const first = word.charCodeAt(0);
  const script = SCRIPTS.find(({ from, to }) => first >= from && first <= to);
  if (script === undefined || /\d/.test(word)) return word;
  let stemmed = word;
  for (const affix of script.affixes) stemmed = stemmed.replace(affix, '');
  return stemmed.slice(0, STEM_CHARS_MAX);
}
