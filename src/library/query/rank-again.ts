import { addCounts, createQueryModel, SURFACE_VIEWS, TITLE_TIMES } from '../../rank/bm25.ts';
import { isEnglish } from '../../rank/language.ts';
import type { StoredDocument } from '../document.ts';
import type { UnitHit } from './best.ts';

/** How many of the best passages are read and ranked again. */
const RERANKED = 50;
/** The weight of it beside the index's own score. */
const SURFACE_WEIGHT = 0.6;

/** A passage that was found, with its document. */
export interface ReadHit extends UnitHit {
  source: StoredDocument;
  start: number;
  end: number;
}

/**
 * How many passages a question needs. English ones are served best by the index, whose stems are made for
 * them; reading fifty documents would double the time of a search.
 */
export const passagesWanted = (question: string, hitsMax: number): number =>
  isEnglish(question) ? hitsMax : Math.max(RERANKED, hitsMax);

/**
 * Refines the order of the best passages by what the index does not know of them: how they begin, and which
 * pieces of the question's words they have (see `SURFACE_VIEWS`).
 */
export function rankAgain(question: string, hits: ReadHit[]): ReadHit[] {
  const model = createQueryModel(question, SURFACE_VIEWS);
  const scores = model.score(
    hits.map(({ source, start, end }) =>
      addCounts([model.count(source.title, TITLE_TIMES), model.count(source.content.slice(start, end))]),
    ),
  );
  return hits
    .map((hit, at) => ({ ...hit, score: hit.score + SURFACE_WEIGHT * (scores[at] ?? 0) }))
    .sort((a, b) => b.score - a.score);
}
