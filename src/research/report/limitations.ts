import type { Match } from '../../core/outcome.ts';
import { diagnosed, named } from '../../core/own-text.ts';
import { plural, type OwnText } from '../../core/text.ts';
import { mentions } from '../../evidence/terms.ts';
import { fold } from '../../rank/tokenise.ts';
import { gapsInFindings, isTelling } from '../gaps.ts';
import { partsWithOwnWords } from '../plan.ts';
import type { Fallback, Finding, ResearchState, StopReason } from '../state.ts';

const STOPS: Record<StopReason, OwnText> = {
  deadline: diagnosed`The time ran out before everything was searched; this is what was found by then.`,
  credits: diagnosed`The credit limit was reached before everything was searched; this is what was found by then.`,
  provider: diagnosed`The search provider failed or answered only in part, so no further searches were made.`,
  nothing_new: diagnosed`The last searches found nothing new.`,
};

const NOTHING = diagnosed`Nothing that answers the question could be quoted.`;
const NO_MATCH = diagnosed`${NOTHING} The pages that were found do not match it.`;
const GAPS_MAX = 5;
const REASONS_MAX = 3;

/** What a reader must know before relying on the report. */
export function limitationsOf(
  state: ResearchState,
  sound: Finding[],
  { byModel, match }: { byModel: boolean; match: Match },
): string[] {
  const { removed } = state;
  const shown = new Set(gapsInFindings(state).map(({ id }) => id));
  const cited = new Set(sound.map(({ sourceId }) => sourceId));
  const sources = state.sources.filter(({ id }) => cited.has(id));
  const count = (what: 'snippet' | 'cut'): number =>
    sources.filter((one) => (what === 'cut' ? one.isTruncated : one.textKind === 'snippet')).length;
  return [
    ...(sound.length === 0 ? [state.sources.length === 0 ? NOTHING : NO_MATCH] : []),
    ...unquoted(state, sound),
    ...(match === 'weak'
      ? [diagnosed`The findings have few of the question’s words, so they may not answer it.`]
      : []),
    ...(state.stop === undefined ? [] : [STOPS[state.stop]]),
    ...failures(state),
    ...state.fallbacks.map((fallback) => fallbackText(fallback, state)),
    ...(count('snippet') === 0
      ? []
      : [diagnosed`Of ${plural(count('snippet'), 'cited page')} only the search engine’s snippet was read.`]),
    ...(count('cut') === 0
      ? []
      : [
          diagnosed`${plural(count('cut'), 'cited page')} ${wereOrWas(count('cut'))} read only in part, being very long.`,
        ]),
    ...(removed.claims === 0
      ? []
      : [
          diagnosed`${plural(removed.claims, 'claim')} of the model had no place in a source and ${wereOrWas(removed.claims)} removed.`,
        ]),
    ...(removed.citations === 0
      ? []
      : [
          diagnosed`${plural(removed.citations, 'citation')} of the model named nothing that exists and ${wereOrWas(removed.citations)} removed.`,
        ]),
    // What sources disagree on is in a section of its own, and names in the findings are not missing.
    ...state.gaps
      .filter((gap) => !gap.isResolved && !shown.has(gap.id))
      .slice(0, GAPS_MAX)
      .map((gap) => `Open: ${gap.description}`),
    ...state.warnings,
    byModel
      ? diagnosed`A language model chose and worded the findings; each was checked against the words of its source.`
      : diagnosed`No language model was used: findings are quotes, chosen by how well they match the question.`,
  ];
}

/** Words of parts of the question that were read about, but of which no quote has one. Those that no text has are gaps. */
function unquoted({ query, sources }: ResearchState, findings: Finding[]): string[] {
  if (findings.length === 0) return [];
  const quotes = fold(findings.map(({ quote, passage = quote }) => passage).join('\n'));
  const isRead = (word: string): boolean => sources.some(({ text }) => mentions(fold(text), word));
  return partsWithOwnWords(query)
    .map(({ words }) => words.filter((word) => isTelling(word, query)))
    .filter((words) => !words.some((word) => mentions(quotes, word)))
    .flatMap((words) => words.filter(isRead))
    .slice(0, GAPS_MAX)
    .map((word) => `No quote has the word “${word}”, which is in the question.`);
}

const wereOrWas = (count: number): 'was' | 'were' => (count === 1 ? 'was' : 'were');

const REASONS: Partial<Record<Fallback['outcome'], OwnText>> = {
  quota: diagnosed`its quota is used up`,
  rate_limit: diagnosed`it refused so many requests`,
  auth: diagnosed`it refused the key`,
  timeout: diagnosed`it did not answer in time`,
  blocked: diagnosed`it blocked the request`,
  degraded: diagnosed`its answer could not be read`,
};

const FAILED = diagnosed`it failed`;

const fallbackText = (
  { provider, outcome, answeredBy, searches }: Fallback,
  { subQueries }: ResearchState,
): string =>
  subQueries.length === 1
    ? diagnosed`The search fell back from ${named(provider)} to ${named(answeredBy)}: ${REASONS[outcome] ?? FAILED}.`
    : diagnosed`${searches} of ${subQueries.length} searches fell back from ${named(provider)} to ${named(answeredBy)}: ${REASONS[outcome] ?? FAILED}.`;

function failures(state: ResearchState): string[] {
  const searches = state.failed.filter(({ step }) => step === 'search');
  const pages = state.failed.filter(({ step }) => step === 'extract').length;
  const models = state.failed.filter(({ step }) => step === 'model');
  const reasons = (steps: typeof searches): string =>
    [...new Set(steps.map(({ message }) => message))].slice(0, REASONS_MAX).join(' ');
  return [
    ...(searches.length === 0
      ? []
      : [`${searches.length} of ${state.subQueries.length} searches failed: ${reasons(searches)}`]),
    ...(pages === 0 ? [] : [diagnosed`${plural(pages, 'page')} could not be read.`]),
    ...(models.length === 0
      ? []
      : [`The model failed ${plural(models.length, 'time')}; quotes are used instead: ${reasons(models)}`]),
  ];
}
