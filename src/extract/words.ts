/** The words of a text in lower case: runs of letters and digits of any script. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  const words: string[] = [];
  let start = -1;
  for (let index = 0; index <= lower.length; index++) {
    const code = index < lower.length ? lower.charCodeAt(index) : 0;
    // Only plain text is read by character; what a letter is in other scripts is for the expression to say.
    if (code > 127) return lower.match(/[\p{L}\p{N}]+/gu) ?? [];
    const isWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    if (isWord && start < 0) start = index;
    if (isWord || start < 0) continue;
    words.push(lower.slice(start, index));
    start = -1;
  }
  return words;
}
