import { LIMITS } from '../../core/limits.ts';
import { coreOf, distinct, toSubQuery } from './plan.ts';
import { idOf, type Gap, type ResearchState, type SubQuery } from './state.ts';
import { contentTerms, contentWords, namesIn } from './text/terms.ts';

const NAMES_MAX = 2;

/** What is still open, without a model: words of the question that nobody speaks of, figures in dispute, names that nobody asked about. */
export function gapsOf(state: ResearchState): Gap[] {
  const core = coreOf(state.query);
  const found = [...uncovered(state, core), ...disputed(state), ...unasked(state, core)];
  return found.slice(0, LIMITS.researchGapsMax);
}

function uncovered(state: ResearchState, core: string): Gap[] {
  const said = contentTerms(state.findings.map(({ statement }) => statement).join('\n'));
  const words = state.query.match(/[\p{L}\p{N}'-]+/gu) ?? [];
  const missing = words.filter((word) => {
    const terms = [...contentTerms(word)];
    return terms.length > 0 && terms.every((term) => !said.has(term));
  });
  return [...new Set(missing)].map((word) =>
    toGap(`No source that was found speaks of “${word}”.`, [`"${word}" ${core}`], 7),
  );
}

function disputed(state: ResearchState): Gap[] {
  return state.conflicts.map(({ findingIds, values, kind }) => {
    const statement = state.findings.find(({ id }) => id === findingIds[0])?.statement ?? '';
    const subject = contentWords(statement.replace(/\d[\d.,]*/g, ' '))
      .slice(0, 8)
      .join(' ');
    const what = kind === 'date' ? 'year' : 'figure';
    return toGap(`Sources disagree on a ${what}: ${values.join(' or ')}.`, [`${subject} ${what}`], 8);
  });
}

function unasked(state: ResearchState, core: string): Gap[] {
  const asked = state.subQueries.map(({ query }) => query).join('\n');
  return namesIn(
    state.findings.map(({ statement }) => statement),
    asked,
  )
    .slice(0, NAMES_MAX)
    .map((name) =>
      toGap(`Several sources mention ${name}, which was not looked at.`, [`${name} ${core}`], 4),
    );
}

export const toGap = (description: string, queries: string[], priority: number): Gap => ({
  id: idOf('gap', description),
  description,
  queries,
  priority,
  isResolved: false,
});

/** The searches that may close open gaps and were not made yet, the most pressing first. */
export function followUpQueries(state: ResearchState, countMax: number): SubQuery[] {
  const asked = new Set(state.subQueries.map(({ id }) => id));
  const open = state.gaps.filter((gap) => !gap.isResolved).sort((a, b) => b.priority - a.priority);
  const wanted = open.flatMap((gap) =>
    gap.queries.map((query) => toSubQuery(query, gap.description, state.iteration + 1, gap.id)),
  );
  return distinct(wanted)
    .filter(({ id }) => !asked.has(id))
    .slice(0, Math.min(countMax, LIMITS.researchFollowUpsMax));
}

/** Gaps that were found again stay open, gaps that are gone are resolved. */
export function mergeGaps(earlier: Gap[], now: Gap[]): Gap[] {
  const ids = new Set(now.map(({ id }) => id));
  const closed = earlier.filter(({ id }) => !ids.has(id)).map((gap) => ({ ...gap, isResolved: true }));
  return [...closed, ...now].slice(-LIMITS.researchGapsMax);
}
