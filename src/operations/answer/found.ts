import type { Attempt, Match, Outcome } from '../../core/outcome.ts';
import type { OwnText } from '../../core/text.ts';
import type { SearchPage } from '../../providers/provider.ts';

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
