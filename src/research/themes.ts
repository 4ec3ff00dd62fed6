import { createCover } from '../rank/cover.ts';
import { partsWithOwnWords, wholeParts } from './plan.ts';
import { LIMITS } from '../core/limits.ts';
import { languageOf } from '../evidence/language.ts';
import { isTimeName } from '../evidence/dates.ts';
import { contentTerms, namesOf } from '../evidence/terms.ts';
import { fold } from '../rank/tokenise.ts';
import { readable } from '../evidence/quote.ts';

/** The theme of findings that share no name with others. */
const OTHER_THEME = 'Further findings';

/** Whether a theme is that of the findings without one. */
export const isOtherTheme = (theme: string): boolean => theme === OTHER_THEME;
const MEMBERS_MIN = 2;
/** A theme with more than this share of the findings separates nothing. */
const SHARE_MAX = 0.7;
/** The share of the findings that must have a theme. */
const NAMED_MIN = 0.7;

/**
 * A heading for every sentence: the part of the question that it answers, if the question has parts, or else the
 * name with a word of the question that it shares with most others.
 */
export function themesOf(sentences: { text: string }[], question: string): string[] {
  const asked = contentTerms(question);
  const labels = sentences.map(({ text }) => labelsOf(readable(text), asked));
  const themes: string[] = sentences.map(() => OTHER_THEME);
  const open = new Set(sentences.keys());
  for (const [at, part] of partsAnswered(sentences, question).entries()) {
    if (part === undefined) continue;
    themes[at] = part;
    open.delete(at);
  }
  for (let count = 1; count < LIMITS.researchThemesMax && open.size >= MEMBERS_MIN; count += 1) {
    const theme = mostShared(labels, open);
    if (theme === undefined) break;
    for (const at of open) {
      if (labels[at]?.has(theme) !== true) continue;
      themes[at] = theme;
      open.delete(at);
    }
  }
  const sizeOf = (theme: string): number => themes.filter((one) => one === theme).length;
  const named = themes.filter((theme) => !isOtherTheme(theme) && sizeOf(theme) >= MEMBERS_MIN);
  // A single heading divides nothing, and headings that leave much without one mislead.
  const isDivided = new Set(named).size > 1 && named.length >= themes.length * NAMED_MIN;
  return themes.map((theme) =>
    !isDivided ? titleOf(question) : named.includes(theme) ? theme : OTHER_THEME,
  );
}

const FIRST_WORD = /^[\s¿¡]*\p{L}+/u;
const CAPITALISED = /\p{Lu}[\p{L}\p{N}-]+/gu;
/** German capitals do not show names, but places stand after these words. */
const GERMAN_PLACE =
  /\b(?:in|von|bei|aus|nach|zwischen)\s(?:der\s)?(\p{Lu}[\p{L}-]+(?:\s\p{Lu}[\p{L}-]+)?)/gu;
/** Names of lines, places and companies, and what is written in Katakana. */
const DENSE_NAME = /\p{Script=Han}{2,}[線駅市町村県川山橋館社]|[\p{Script=Katakana}ー]{3,}/gu;

/** The names in a question, folded: of what it is about. */
export function namesAsked(question: string): string[] {
  const bare = question.replace(FIRST_WORD, '');
  const latin =
    languageOf(question) === 'de'
      ? Array.from(bare.matchAll(GERMAN_PLACE), ([, name = '']) => name)
      : (bare.match(CAPITALISED) ?? []);
  const names = [...latin, ...(question.match(DENSE_NAME) ?? [])];
  return [...new Set(names.filter((name) => !isTimeName(name)).map(fold))];
}

/** A part is the heading of sentences that cover it better than the other parts by this much. */
const PART_LEAD = 0.15;
/** and have this much of it. */
const PART_MIN = 0.4;

/** For every sentence the part of the question that it answers, if it answers one more than the others. */
function partsAnswered(sentences: { text: string }[], question: string): (string | undefined)[] {
  const all = partsWithOwnWords(question);
  if (all.length < 2) return [];
  const found = sentences.map(({ text }) => contentTerms(text));
  // The subject, where another part calls it `it`, does not tell which part a sentence answers: most sentences name it.
  const isSubject = (term: string): boolean =>
    wholeParts(question).length < all.length &&
    found.filter((words) => words.has(term)).length * 2 > found.length;
  const parts = all.flatMap(({ asked, words }) => {
    const own = words.filter((word) => [...contentTerms(word)].some((term) => !isSubject(term)));
    return own.length === 0 ? [] : [{ asked, cover: createCover(own.join(' ')) }];
  });
  return sentences.map(({ text }) => {
    const [best, next] = parts
      .map(({ asked, cover }) => ({ asked, value: cover.of(text) }))
      .sort((a, b) => b.value - a.value);
    const value = best?.value ?? 0;
    const isAnswered = value >= PART_MIN && value - (next?.value ?? 0) >= PART_LEAD;
    return isAnswered ? titleOf(best?.asked ?? '') : undefined;
  });
}

/** A question or a part of one as a heading. */
const titleOf = (part: string): string => {
  const bare = part.replace(/^[\s¿¡]+|[\s?？؟.。!,;]+$/gu, '');
  return bare.charAt(0).toUpperCase() + bare.slice(1);
};

/** The names in a sentence that can be headings. */
const labelsOf = (text: string, asked: Set<string>): Set<string> =>
  new Set(
    namesOf(text).filter(
      (name) => (/\s/.test(name) || /^[^\u0000-\u024F]{3,}$/u.test(name)) && isAbout(name, asked),
    ),
  );

/** Whether a heading is about the question, and says more than it: `Aldana Canal Company` when the canal is asked about. */
function isAbout(label: string, asked: Set<string>): boolean {
  const terms = [...contentTerms(label)];
  return terms.some((term) => asked.has(term)) && terms.some((term) => !asked.has(term));
}

function mostShared(labels: Set<string>[], open: Set<number>): string | undefined {
  const counts = new Map<string, number>();
  for (const at of open)
    for (const label of labels[at] ?? []) counts.set(label, (counts.get(label) ?? 0) + 1);
  const most = Math.max(MEMBERS_MIN, labels.length * SHARE_MAX);
  const [best] = [...counts]
    .filter(([, count]) => count >= MEMBERS_MIN && count <= most)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return best?.[0];
}
