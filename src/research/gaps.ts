import { LIMITS } from '../core/limits.ts';
import { backgroundShare } from '../rank/background.ts';
import { isEnglish } from '../rank/language.ts';
import { fold } from '../rank/tokenise.ts';
import { coreOf, distinctQueries, toSubQuery } from './plan.ts';
import { sourceIdOf, type Gap, type ResearchState, type SubQuery } from './state.ts';
import { contentTerms, contentWords, mentions, namesIn } from '../evidence/terms.ts';

const NAMES_MAX = 2;

/** Gaps without a model: uncovered words of the question, disputed statements, names not searched for. */
export function gapsOf(state: ResearchState): Gap[] {
  const core = coreOf(state.query);
  const found = [...uncovered(state, core), ...gapsInFindings(state)];
  return found.slice(0, LIMITS.researchGapsMax);
}

/** Words that more texts have than this say little when they are missing. */
const RARE_SHARE_MAX = 0.0025;

/**
 * Whether a word says what a question is about, so that its absence means something: a rare one. How rare words of
 * other languages are is not known, so there only names and the nouns of German count.
 */
export const isTelling = (word: string, question: string): boolean => {
  const terms = [...contentTerms(word)];
  return (
    terms.length > 0 &&
    !/^(?:vs|versus|compared?)$/i.test(word) &&
    // A whole clause, where words are not separated.
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{6,}/u.test(word) &&
    terms.every((term) => backgroundShare(term) < RARE_SHARE_MAX) &&
    !isAdverb(word) &&
    (isEnglish(question) || /^\p{Lu}|\p{N}|[^\u0000-\u024F]/u.test(word))
  );
};

/** `mainly`, `afterwards`: a text can say so without the word. */
const isAdverb = (word: string): boolean =>
  /\p{L}{3}wards$/u.test(word) ||
  (/\p{L}{3}ly$/u.test(word) && backgroundShare(word.toLowerCase().slice(0, -2)) > 0);

/** Rare words of the question that no source contains, in any form. */
function uncovered(state: ResearchState, core: string): Gap[] {
  const said = contentTerms(state.findings.map(({ statement }) => statement).join('\n'));
  const words = [...new Set(state.query.match(/[\p{L}\p{N}'-]+/gu) ?? [])];
  const unsaid = words.filter(
    (word) => isTelling(word, state.query) && [...contentTerms(word)].every((term) => !said.has(term)),
  );
  const texts = unsaid.length === 0 ? [] : state.sources.map(({ title, text }) => fold(`${title}\n${text}`));
  return unsaid
    .filter((word) => !texts.some((text) => mentions(text, word)))
    .map((word) =>
      toGap(`The word “${word}” is in none of the texts that were read.`, [`"${word}" ${core}`], 7),
    );
}

/** Gaps that findings show: what they dispute, and names in them to search for. */
export const gapsInFindings = (state: ResearchState): Gap[] => [
  ...disputed(state),
  ...unasked(state, coreOf(state.query)),
];

function disputed(state: ResearchState): Gap[] {
  return state.conflicts.map(({ sides, kind }) => {
    const [first] = sides.flatMap(({ findingIds }) => findingIds);
    const statement = state.findings.find(({ id }) => id === first)?.statement ?? '';
    const subject = contentWords(statement.replace(/\d[\d.,]*/g, ' '))
      .slice(0, 8)
      .join(' ');
    const what = { date: 'date', number: 'figure', name: 'name', polarity: '' }[kind];
    const values = [...new Set(sides.map(({ value }) => value))].filter((value) => value !== '').join(' or ');
    const description =
      what === ''
        ? `Sources contradict each other: “${statement}”`
        : `Sources disagree on a ${what}: ${values}.`;
    return toGap(description, [`${subject} ${what}`.trim()], 8);
  });
}

function unasked(state: ResearchState, core: string): Gap[] {
  const asked = state.subQueries.map(({ query }) => query).join('\n');
  return (
    namesIn(
      state.findings.map(({ statement }) => statement),
      asked,
    )
      // Where a name ends is not to be seen among Chinese characters.
      .filter((name) => !/^\p{Script=Han}+$/u.test(name))
      .slice(0, NAMES_MAX)
      .map((name) =>
        toGap(`Several sources mention ${name}, which was not looked at.`, [`${name} ${core}`], 4),
      )
  );
}

export const toGap = (description: string, queries: string[], priority: number): Gap => ({
  id: sourceIdOf('gap', description),
  description,
  queries,
  priority,
  isResolved: false,
});

/** Searches for open gaps that were not made yet, most pressing first. */
export function followUpQueries(state: ResearchState, countMax: number): SubQuery[] {
  const asked = new Set(state.subQueries.map(({ id }) => id));
  const open = state.gaps.filter((gap) => !gap.isResolved).sort((a, b) => b.priority - a.priority);
  const wanted = open.flatMap((gap) =>
    gap.queries.map((query) => toSubQuery(query, gap.description, state.iteration + 1, gap.id)),
  );
  return distinctQueries(wanted)
    .filter(({ id }) => !asked.has(id))
    .slice(0, Math.min(countMax, LIMITS.researchFollowUpsMax));
}

/** Gaps found again stay open; the others are resolved. */
export function mergeGaps(earlier: Gap[], now: Gap[]): Gap[] {
  const ids = new Set(now.map(({ id }) => id));
  const closed = earlier.filter(({ id }) => !ids.has(id)).map((gap) => ({ ...gap, isResolved: true }));
  return [...closed, ...now].slice(-LIMITS.researchGapsMax);
}
