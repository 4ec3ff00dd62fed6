import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../core/limits.ts';
import { hostOf } from '../../core/url.ts';
import { createQueryModel, type Counts } from '../../rank/bm25.ts';
import { figuresOf, type Figure } from './figures.ts';
import { readable } from './quote.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import type { ResearchSource, ResearchState } from './state.ts';
import { contentTerms } from './terms.ts';

/** A sentence that may become a finding. */
export interface Candidate extends Sentence {
  source: ResearchSource;
  host: string;
  /** 0–1. */
  score: number;
  terms: Set<string>;
  /** With those of the sentence that it leans on. */
  subject: Set<string>;
  figures: Figure[];
}

const QUALITY_WEIGHT = { high: 1.15, medium: 1, low: 0.7 };
const SNIPPET_WEIGHT = 0.9;
/** A sentence that begins with `it` says less when it stands alone. */
const LEANING_WEIGHT = 0.75;
/** A sentence of a page that was found for a side of the question may also answer that side. */
const FACET_WEIGHT = 0.4;
const SCORE_MIN = 0.15;

/** The sentences of all sources that answer the question best, the best first. */
export async function candidatesOf(state: ResearchState, signal: AbortSignal): Promise<Candidate[]> {
  const main = createQueryModel(state.query);
  const facets = new Map(state.subQueries.map((one) => [one.id, createQueryModel(one.query)]));
  const pool: { source: ResearchSource; sentence: Sentence; main: Counts; facet: Counts | undefined }[] = [];
  for (const source of state.sources) {
    // Long pages are cut into sentences between turns of the event loop, so that a cancellation is heard.
    await nextTurn();
    signal.throwIfAborted();
    const facet = facets.get(source.subQueryId);
    for (const sentence of sentencesOf(source.text).slice(0, LIMITS.researchSentencesPerSourceMax)) {
      const text = readable(sentence.text);
      pool.push({ source, sentence, main: main.count(text), facet: facet?.count(text) });
    }
  }
  const scores = [...main.score(pool.map((one) => one.main))];
  for (const [id, model] of facets) addFacet(scores, pool, id, model);
  const weighted = pool.map(({ source, sentence }, at) => {
    const kind = source.textKind === 'snippet' ? SNIPPET_WEIGHT : 1;
    const leaning = sentence.context === undefined ? 1 : LEANING_WEIGHT;
    return (scores[at] ?? 0) * QUALITY_WEIGHT[source.quality] * kind * leaning;
  });
  const best = weighted.reduce((max, score) => Math.max(max, score), 0);
  if (best === 0) return [];
  return pool
    .map(({ source, sentence }, at) => ({ source, sentence, score: (weighted[at] ?? 0) / best }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score || (a.source.id < b.source.id ? -1 : 1))
    .slice(0, LIMITS.researchCandidatesMax)
    .map(({ source, sentence, score }) => toCandidate(source, sentence, score));
}

function addFacet(
  scores: number[],
  pool: { source: ResearchSource; facet: Counts | undefined }[],
  id: string,
  model: ReturnType<typeof createQueryModel>,
): void {
  const own = pool.flatMap(({ source, facet }, at) =>
    source.subQueryId === id && facet !== undefined ? [{ at, facet }] : [],
  );
  if (own.length === 0) return;
  model.score(own.map(({ facet }) => facet)).forEach((score, index) => {
    const at = own[index]?.at ?? 0;
    scores[at] = (scores[at] ?? 0) + FACET_WEIGHT * score;
  });
}

export function toCandidate(source: ResearchSource, sentence: Sentence, score: number): Candidate {
  const text = readable(sentence.text);
  const figures = figuresOf(text);
  const units = contentTerms(
    figures.map(({ text: written, aspect = '' }) => `${written} ${aspect}`).join(' '),
  );
  const terms = new Set([...contentTerms(text)].filter((term) => !units.has(term)));
  return {
    ...sentence,
    source,
    host: hostOf(source.url),
    score: Math.round(score * 1e4) / 1e4,
    terms,
    subject: new Set([...terms, ...contentTerms(readable(sentence.context ?? ''))]),
    figures,
  };
}
