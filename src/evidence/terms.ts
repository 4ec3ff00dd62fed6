import { isCommon } from '../rank/background.ts';
import { sharedBeginning } from '../rank/cover.ts';
import { isStopWord } from '../rank/stop-words.ts';
import { tokenise } from '../rank/tokenise.ts';
import { isTimeName } from './dates.ts';

/** The distinct content terms of a text, without common words and bare numbers. */
export function contentTerms(text: string): Set<string> {
  return new Set(
    tokenise(text).filter(
      (term) => term.length > 1 && !isCommon(term) && !isStopWord(term) && !/^[\d.,]+$/.test(term),
    ),
  );
}

/** The distinct content words of a text, in order. */
export function contentWords(text: string): string[] {
  const seen = new Set<string>();
  return (text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.+#-]*[\p{L}\p{N}+#]|[\p{L}\p{N}]/gu) ?? []).filter((word) => {
    const terms = tokenise(word).filter((term) => !isStopWord(term));
    const isNew = terms.some((term) => !seen.has(term));
    for (const term of terms) seen.add(term);
    return isNew;
  });
}

/** Whether a folded text contains a word in any form. Without spaces, half of its character pairs suffice. */
export function mentions(folded: string, word: string): boolean {
  const terms = [...contentTerms(word)];
  return (
    terms.filter((term) => folded.includes(sharedBeginning(term.replace(/i$/, '')))).length * 2 >=
    terms.length
  );
}

/** Names of two to four words, names within a sentence, and long runs of Han or Katakana. */
const NAME =
  /(?<=[\p{Ll}\p{N},;:)]\s)\p{Lu}[\p{L}\p{N}-]{2,}(?:\s(?:of\s|de\s|van\s)?\p{Lu}[\p{L}\p{N}-]+){0,3}|\p{Lu}[\p{L}\p{N}-]+(?:\s\p{Lu}[\p{L}\p{N}-]+){1,3}|[\p{Script=Katakana}ー]{3,12}|\p{Script=Han}{2,8}/gu;

/** Names that several texts mention and the question does not, most frequent first. */
export function namesIn(texts: string[], question: string): string[] {
  const asked = contentTerms(question);
  const mentions = new Map<string, number>();
  for (const text of texts) {
    for (const name of new Set(namesOf(text))) mentions.set(name, (mentions.get(name) ?? 0) + 1);
  }
  return [...mentions]
    .filter(([name, count]) => count > 1 && isNew(name, asked))
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([name]) => name);
}

/** The names in a text, without leading articles. */
export const namesOf = (text: string): string[] =>
  Array.from(text.matchAll(NAME), ([name]) =>
    name.replace(/\s+/g, ' ').replace(/^(?:The|A|An|In|On|At|Of|By|For)\s(?=\p{Lu})/u, ''),
  );

function isNew(name: string, asked: Set<string>): boolean {
  const terms = [...contentTerms(name)];
  return terms.length > 0 && !isTimeName(name) && terms.every((term) => !asked.has(term));
}
