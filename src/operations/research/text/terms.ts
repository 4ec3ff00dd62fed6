import { isCommon } from '../../../rank/background.ts';
import { tokenise } from '../../../rank/tokenise.ts';

/** Words that hold a question together, as terms. */
const GLUE = new Set(
  tokenise(
    'how what when where why who which whose much many does do did is are was were be been being has have had can could should would will may might must shall the a an and or of in on at to for from by with about into than then there their its it this that these those not no yes as if so but only also very between during before after over under per each any all some most more less other such along across through around within without among against until upon toward towards beside beyond since because while whereas although though via both several every first second last new old only just even still already often however therefore thus here made make makes making say says said see seen get gets got use uses used using give gives given take takes taken',
  ),
);

/** The distinct terms of a text that say what it is about: no common words, no bare numbers. */
export function contentTerms(text: string): Set<string> {
  return new Set(
    tokenise(text).filter(
      (term) => term.length > 1 && !isCommon(term) && !GLUE.has(term) && !/^[\d.,]+$/.test(term),
    ),
  );
}

/** The words of a text that say what it is about, in order, each once. */
export function contentWords(text: string): string[] {
  const seen = new Set<string>();
  return (text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.+#-]*[\p{L}\p{N}+#]|[\p{L}\p{N}]/gu) ?? []).filter((word) => {
    const terms = tokenise(word).filter((term) => !GLUE.has(term));
    const isNew = terms.some((term) => !seen.has(term));
    for (const term of terms) seen.add(term);
    return isNew;
  });
}

/** The share of the smaller set that stands in the other. */
export function overlap(a: Set<string>, b: Set<string>): number {
  const [less, more] = a.size <= b.size ? [a, b] : [b, a];
  if (less.size === 0) return 0;
  let found = 0;
  for (const term of less) if (more.has(term)) found += 1;
  return found / less.size;
}

/** Names of two to four words, names inside a sentence, and long runs of Han or Katakana. */
const NAME =
  /(?<=[\p{Ll}\p{N},;:)]\s)\p{Lu}[\p{L}\p{N}-]{2,}(?:\s(?:of\s|de\s|van\s)?\p{Lu}[\p{L}\p{N}-]+){0,3}|\p{Lu}[\p{L}\p{N}-]+(?:\s\p{Lu}[\p{L}\p{N}-]+){1,3}|[\p{Script=Katakana}ー]{3,12}|\p{Script=Han}{2,8}/gu;

/** Names that several of the texts mention and the question does not, the most mentioned first. */
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

/** The names in a text, without articles before them. */
export const namesOf = (text: string): string[] =>
  Array.from(text.matchAll(NAME), ([name]) =>
    name.replace(/\s+/g, ' ').replace(/^(?:The|A|An|In|On|At|Of|By|For)\s(?=\p{Lu})/u, ''),
  );

function isNew(name: string, asked: Set<string>): boolean {
  const terms = [...contentTerms(name)];
  return terms.length > 0 && terms.every((term) => !asked.has(term));
}
