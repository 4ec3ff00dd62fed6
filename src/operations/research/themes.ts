import { LIMITS } from '../../core/limits.ts';
import { backgroundShare } from '../../rank/background.ts';
import { contentTerms, namesOf } from './text/terms.ts';
import { readable } from './text/quote.ts';

/** What shares no word with another finding. */
export const OTHER_THEME = 'Further findings';
const MEMBERS_MIN = 2;
/** A name says more than a word: it wins over a word that is in a few more sentences. */
const NAME_WEIGHT = 1.6;
/** A theme that holds nearly everything tells nothing apart. */
const SHARE_MAX = 0.7;

interface Themed {
  text: string;
  /** The names of two words and more. */
  names: Set<string>;
  /** The words that are not part of a name. */
  terms: Set<string>;
}

/** A heading for every sentence: the name or the rare word that it shares with most of the others. In the order of the sentences. */
export function themesOf(sentences: { text: string; terms: Set<string> }[], question: string): string[] {
  const asked = contentTerms(question);
  const themed = sentences.map((sentence) => toThemed(sentence, asked));
  const themes: string[] = sentences.map(() => OTHER_THEME);
  const open = new Set(sentences.keys());
  for (let count = 1; count < LIMITS.researchThemesMax && open.size >= MEMBERS_MIN; count += 1) {
    const theme = mostShared(themed, open);
    if (theme === undefined) break;
    const members = [...open].filter((at) => has(themed[at], theme));
    const label = theme.isName
      ? theme.key
      : labelOf(
          theme.key,
          members.map((at) => themed[at]?.text ?? ''),
        );
    for (const at of members) {
      themes[at] = label;
      open.delete(at);
    }
  }
  return themes;
}

function toThemed({ text, terms }: { text: string; terms: Set<string> }, asked: Set<string>): Themed {
  const plain = readable(text);
  const names = namesOf(plain).filter((name) => name.includes(' ') && !isAsked(name, asked));
  const inNames = contentTerms(names.join(' '));
  const outside = contentTerms(names.reduce((rest, name) => rest.replaceAll(name, ' '), plain));
  const own = [...terms].filter(
    (term) => !asked.has(term) && term.length > 2 && (!inNames.has(term) || outside.has(term)),
  );
  return { text: plain, names: new Set(names), terms: new Set(own) };
}

const isAsked = (name: string, asked: Set<string>): boolean =>
  [...contentTerms(name)].every((term) => asked.has(term));

interface Theme {
  key: string;
  isName: boolean;
}

const has = (sentence: Themed | undefined, { key, isName }: Theme): boolean =>
  sentence !== undefined && (isName ? sentence.names : sentence.terms).has(key);

function mostShared(sentences: Themed[], open: Set<number>): Theme | undefined {
  const names = countOf([...open].map((at) => sentences[at]?.names ?? new Set()));
  const terms = countOf([...open].map((at) => sentences[at]?.terms ?? new Set()));
  const shared = [
    ...[...names].map(([key, count]) => ({ key, isName: true, count, weight: count * NAME_WEIGHT })),
    ...[...terms].map(([key, count]) => ({ key, isName: false, count, weight: count })),
  ].filter(
    ({ count }) => count >= MEMBERS_MIN && count <= Math.max(MEMBERS_MIN, sentences.length * SHARE_MAX),
  );
  const [best] = shared.sort(
    (a, b) =>
      b.weight - a.weight || backgroundShare(a.key) - backgroundShare(b.key) || (a.key < b.key ? -1 : 1),
  );
  return best;
}

function countOf(sets: Set<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const key of set) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The term as it is written most often, with a capital letter. */
function labelOf(term: string, texts: string[]): string {
  const spellings = new Map<string, number>();
  for (const text of texts) {
    for (const word of text.match(/[\p{L}\p{N}'-]+/gu) ?? [])
      if (contentTerms(word).has(term)) spellings.set(word, (spellings.get(word) ?? 0) + 1);
  }
  const [best] = [...spellings].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const label = best?.[0] ?? term;
  return label.charAt(0).toUpperCase() + label.slice(1);
}
