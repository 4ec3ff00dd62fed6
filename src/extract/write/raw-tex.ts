/**
 * TeX that pages write into their text for a script to draw: between dollars, `\(` and `\)`, or `\[` and `\]`. None holds the beginning of another, so that no
 * character is looked at for more than one.
 */
const TEX =
  /(\$\$)([^$]{1,2000})\$\$|(\$)(?!\s)([^$\n]{1,400})(?<!\s)\$(?!\d)|\\(\()((?:[^\\\n]|\\(?![()[\]])){1,400})\\\)|\\(\[)((?:[^\\]|\\(?![()[\]])){1,2000})\\\]/g;
const MATHEMATICAL = /[\\^_=<>{}+|]|^\s*[A-Za-z]\s*$/;

/** What would be read as something else: code, a tag, a link. */
const MARKUP = /`|<[a-z/!?]|\]\(/i;

/** Escapes text with `escape`, but leaves formulas as they are: an escaped `\sum\_{i}` is no TeX any more. */
export function escapeAroundTex(text: string, escape: (text: string) => string): string {
  if (!text.includes('$') && !text.includes('\\(') && !text.includes('\\[')) return escape(text);
  let out = '';
  let end = 0;
  for (const found of text.matchAll(TEX)) {
    const mark = found[1] ?? found[3] ?? found[5] ?? found[7] ?? '';
    const tex = (found[2] ?? found[4] ?? found[6] ?? found[8] ?? '').trim();
    if (!MATHEMATICAL.test(tex) || MARKUP.test(tex)) continue;
    const fence = mark === '$$' || mark === '[' ? '$$' : '$';
    out += `${escape(text.slice(end, found.index))}${fence}${tex}${fence}`;
    end = found.index + found[0].length;
  }
  return out + escape(text.slice(end));
}
