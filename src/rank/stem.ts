/**
 * Porter's stemmer for English (1980, with the author's two later changes: `bli` → `ble`, and `logi` →
 * `log`). Written here because the published packages are classes with dictionaries.
 */
export function stem(word: string): string {
  if (word.length < 3) return word;
  let stemmed = stepPlural(word);
  stemmed = stepPast(stemmed);
  if (stemmed.endsWith('y') && hasVowel(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaceEnding(stemmed, ENDINGS_2, 0);
  stemmed = replaceEnding(stemmed, ENDINGS_3, 0);
  stemmed = stepResidue(stemmed);
  return stepFinal(stemmed);
}

const ENDINGS_2: [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const ENDINGS_3: [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const ENDINGS_4 =
  /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

function stepPlural(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

function stepPast(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const cut = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (cut === 0) return word;
  const rest = word.slice(0, -cut);
  if (!hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

/** Replaces the first ending that matches, if the rest is long enough. */
function replaceEnding(word: string, endings: [string, string][], measureMin: number): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const rest = word.slice(0, -found[0].length);
  return measure(rest) > measureMin ? rest + found[1] : word;
}

function stepResidue(word: string): string {
  const found = ENDINGS_4.exec(word);
  if (found === null) return word;
  const rest = word.slice(0, found.index);
  return measure(rest) > 1 ? rest : word;
}

function stepFinal(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const rest = result.slice(0, -1);
    const size = measure(rest);
    if (size > 1 || (size === 1 && !endsShort(rest))) result = rest;
  }
  return result.endsWith('ll') && measure(result) > 1 ? result.slice(0, -1) : result;
}

function isConsonant(word: string, index: number): boolean {
  const letter = word[index];
  if (letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u') return false;
  return letter === 'y' ? index === 0 || !isConsonant(word, index - 1) : true;
}

/** The number of vowel runs that are followed by a consonant run. */
function measure(word: string): number {
  let count = 0;
  let afterVowel = false;
  let consonant = false;
  for (let index = 0; index < word.length; index += 1) {
    const letter = word[index];
    const vowel: boolean =
      letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u'
        ? true
        : letter === 'y' && index > 0 && consonant;
    consonant = !vowel;
    if (consonant && afterVowel) count += 1;
    afterVowel = vowel;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let index = 0; index < word.length; index += 1) if (!isConsonant(word, index)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2) return false;
  return (
    isConsonant(word, last) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last - 2) &&
    !/[wxy]$/.test(word)
  );
}
