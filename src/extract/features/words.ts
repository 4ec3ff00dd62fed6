/** The words of a text in lower case: runs of letters and digits of any script. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * The hashes of these words. Every block is read this way, and creating a string per word would dominate the
 * cost.
 */
export function wordNumbers(text: string): number[] {
  const numbers: number[] = [];
  let hash = NOTHING;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // Other scripts need the regular expression.
    if (code > 127) return wordsOf(text).map(numberOf);
    const isUpper = code >= 65 && code <= 90;
    if (isUpper || (code >= 97 && code <= 122) || (code >= 48 && code <= 57))
      hash = mix(hash, isUpper ? code + 32 : code);
    else if (hash !== NOTHING) {
      numbers.push(hash);
      hash = NOTHING;
    }
  }
  if (hash !== NOTHING) numbers.push(hash);
  return numbers;
}

/** The hash of one word in lower case. */
export function numberOf(word: string): number {
  let hash = NOTHING;
  for (let index = 0; index < word.length; index++) hash = mix(hash, word.charCodeAt(index));
  return hash;
}

const NOTHING = 0x811c9dc5 | 0;

const mix = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
