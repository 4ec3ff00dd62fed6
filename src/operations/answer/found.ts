import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { warned } from '../../core/own-text.ts';
import { plural, type OwnText } from '../../core/text.ts';
import { isOn } from '../../providers/kit/narrow.ts';
import type { Attempt, Match, Outcome } from '../../core/outcome.ts';
import type { SearchPage } from '../../providers/provider.ts';

/** Applies the caller's domain filter to the results, and reports what was dropped. */
export function keepDomains(
  sources: Source[],
  query: SearchQuery,
): { sources: Source[]; warnings: OwnText[] } {
  const only = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const never = query.excludeDomains ?? [];
  const kept = sources.filter(
    (source) =>
      (only.length === 0 || only.some((domain) => isOn(source.url, domain))) &&
      !never.some((domain) => isOn(source.url, domain)),
  );
  const dropped = sources.length - kept.length;
  return {
    sources: kept,
    warnings: dropped === 0 ? [] : [warned`${plural(dropped, 'result')} outside the asked domains dropped.`],
  };
}

/** The results of a search and how they were obtained. */
export interface Found extends Omit<SearchPage, 'outcome' | 'next' | 'warnings'> {
  outcome: Outcome;
  warnings: OwnText[];
  attempts: Attempt[];
  /** Whether the results answer the question; only set when an answer was requested. */
  match?: Match;
  /** Who wrote the answer. */
  answerBy?: 'provider' | 'model' | 'quotes';
  /** The model gave no usable answer; such a result is not cached. */
  hasModelFailed?: boolean;
}
