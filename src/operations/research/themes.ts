import { LIMITS } from '../../core/limits.ts';
import { backgroundShare } from '../../rank/background.ts';
import { contentTerms } from './terms.ts';
import { readable } from './quote.ts';

/** What shares no word with another finding. */
export const OTHER_THEME = 'Further findings';
const MEMBERS_MIN = 2;

/** A heading for every sentence: the rare word that it shares with most of the others. In the order of the sentences. */
export function themesOf(sentences: { text: string; terms: Set<string> }[], question: string): string[] {
  const asked = contentTerms(question);
  const themes: string[] = sentences.map(() => OTHER_THEME);
  const open = new Set(sentences.keys());
  for (let count = 1; count < LIMITS.researchThemesMax && open.size >= MEMBERS_MIN; count += 1) {
    const term = mostShared(sentences, open, asked);
    if (term === undefined) break;
    const members = [...open].filter((at) => sentences[at]?.terms.has(term) === true);
    const label = labelOf(
      term,
      members.map((at) => sentences[at]?.text ?? ''),
    );
    for (const at of members) {
      themes[at] = label;
      open.delete(at);
    }
  }
  return themes;
}

function mostShared(
  sentences: { terms: Set<string> }[],
  open: Set<number>,
  asked: Set<string>,
): string | undefined {
  const counts = new Map<string, number>();
  for (const at of open) {
    for (const term of sentences[at]?.terms ?? [])
      if (!asked.has(term) && term.length > 2) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const [best] = [...counts]
    .filter(([, count]) => count >= MEMBERS_MIN)
    .sort(([a, m], [b, n]) => n - m || backgroundShare(a) - backgroundShare(b) || (a < b ? -1 : 1));
  return best?.[0];
}

/** The term as it is written most often, with a capital letter. */
function labelOf(term: string, texts: string[]): string {
  const spellings = new Map<string, number>();
  for (const text of texts) {
    for (const word of readable(text).match(/[\p{L}\p{N}'-]+/gu) ?? [])
      if (contentTerms(word).has(term)) spellings.set(word, (spellings.get(word) ?? 0) + 1);
  }
  const [best] = [...spellings].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const label = best?.[0] ?? term;
  return label.charAt(0).toUpperCase() + label.slice(1);
}
