import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../core/limits.ts';
import { hostOf } from '../core/url.ts';
import {
  addCounts,
  createQueryModel,
  termsOf,
  TITLE_TIMES,
  type Counts,
  type QueryModel,
} from '../rank/bm25.ts';
import { createCover } from '../rank/cover.ts';
import { onTopic, type Judged } from './on-topic.ts';
import { sharedWith, tellingTerms } from './shared-terms.ts';
import { wholeParts } from './plan.ts';
import { isNoticeSentence } from '../evidence/notice.ts';
import { hasNumber } from '../evidence/numbers.ts';
import { readable } from '../evidence/quote.ts';
import { read, type Reading } from '../evidence/reading.ts';
import { sentencesOf, type Sentence } from '../evidence/sentences.ts';
import type { ResearchSource, ResearchState } from './state.ts';
import { contentTerms } from '../evidence/terms.ts';

/** A sentence that may become a finding. */
export interface SentenceCandidate extends Sentence {
  source: ResearchSource;
  host: string;
  /** Where the next sentence of its paragraph ends, if it has one that can be quoted. */
  nextEnd?: number;
  /** 0–1. */
  score: number;
  /** Whether it only shares words with the question: it can support or contradict a finding, and is none itself. */
  isOff: boolean;
  /** Whether it has the words of the question itself, and not only its page. */
  isClose: boolean;
  terms: Set<string>;
  /** Its parsed statement, with the subject of the sentence it refers to. */
  reading: Reading;
}

const QUALITY_WEIGHT = { high: 1.15, medium: 1, low: 0.7 };
const SNIPPET_WEIGHT = 0.9;
/** A sentence that begins with `it` is worth less on its own. */
const LEANING_WEIGHT = 0.75;
/** Beginnings that go on from the sentence before. */
const GOES_ON =
  /^(?:(?:However|But|And|Also|Instead|Therefore|Thus|Moreover|Furthermore|Similarly|Conversely|Later|Then|Other|Another|Meanwhile|In contrast|On the other|For (?:example|instance)|As a result)\b|(?:In|On|At|After|During|Before|Behind|Since|With|For|By)\s[^,.]{0,25}\b(?:these|this|those|that|them|the next|the same)\b|(?:Jedoch|Dies|Diese|Danach|Außerdem|Sin embargo|Además|Esto|Estos|Después)(?!\p{L})|しかし|また、|その|但是|此外|然而|因此)/u;
/** A sentence on a page found for a facet may answer only that facet. */
const FACET_WEIGHT = 0.4;
/** A sentence that answers one part of the question is as good as one that touches all of them. */
const PART_WEIGHT = 0.8;
/** How much the sentence itself counts beside its page and what other pages share with it. */
const SENTENCE_SHARE = 1.5;
/** A sentence with a figure says more than one without. */
const FIGURE_WEIGHT = 1.4;
/** A sentence with fewer words beyond those of the question is worth less, down to half. */
const FULL_TERMS = 10;
/** What is planned is worth less than what came of it, unless it is asked for. */
const HYPOTHETICAL_WEIGHT = 0.8;
/** On a page that matches this well, a full sentence with a figure counts nearly as much as the page, whatever its words. */
const TELLING_PAGE = 0.8;
const TELLING_SHARE = 0.85;
const TELLING_TERMS = 6;
/** Not so when one of the first sentences has nearly all words of the question: then that one answers. */
const DIRECT = 0.9;
const FIRST = 20;
const SCORE_MIN = 0.15;
/** With enough other sources, a low-quality page is quoted only for what no other page says as well. */
const LOW_SCORE_MIN = 0.7;
const ENOUGH = 5;

/** The sentences of all sources that answer the question best, best first. */
export async function candidatesOf(state: ResearchState, signal: AbortSignal): Promise<SentenceCandidate[]> {
  const main = createQueryModel(state.query);
  const facets = new Map(state.subQueries.map((one) => [one.id, createQueryModel(one.query)]));
  const parts = wholeParts(state.query).map((part) => createQueryModel(part));
  const { pool, pageCounts, hosts } = await readSources(state, { main, facets, parts }, signal);
  const scores = [...main.score(pool.map((one) => one.main))];
  for (const [id, model] of facets) addFacet(scores, pool, id, model);
  addParts(scores, pool, parts);
  const weighted = pool.map((one, at) => (scores[at] ?? 0) * weightOf(one));
  const most = weighted.reduce((max, score) => Math.max(max, score), 0);
  if (most === 0) return [];
  // How well each page as a whole matches, 1 for the best.
  const pageScores = main.score(pageCounts);
  const bestPage = Math.max(...pageScores) || 1;
  const pages = new Map(state.sources.map((source, at) => [source, (pageScores[at] ?? 0) / bestPage]));
  /** On other sites too, word for word, as notices and comments are that many pages have. */
  const isShared = ({ text }: Sentence): boolean => (hosts.get(text)?.size ?? 0) > 1;
  const shared = sharedWith(
    pool.map(({ source, sentence, terms }) => ({ source, terms, isCopied: isShared(sentence) })),
    pages,
  );
  const isOpen = !isAnsweredDirectly(state.query, pool, weighted);
  const scored = onTopic(
    state,
    pool.flatMap((one, at) => {
      const { source, sentence, heading, next } = one;
      const page = pages.get(source) ?? 0;
      const isTelling = isOpen && page >= TELLING_PAGE && isFull(one);
      const score = Math.max((weighted[at] ?? 0) / most, isTelling ? TELLING_SHARE * page : 0);
      const nextEnd = next === undefined || isShared(next) ? undefined : next.end;
      const found = {
        source,
        sentence,
        heading,
        nextEnd,
        isShared: isShared(sentence),
        page,
        isTelling,
        shared: shared[at] ?? 0,
        score: (SENTENCE_SHARE * score + page + (shared[at] ?? 0)) / (SENTENCE_SHARE + 2),
      };
      return score < SCORE_MIN ? [] : [found];
    }),
  );
  const worthy = scored.filter(({ source, score }) => source.quality !== 'low' || score >= LOW_SCORE_MIN);
  const best = (worthy.length >= ENOUGH ? worthy : scored)
    .sort(byScore)
    .slice(0, LIMITS.researchCandidatesMax);
  const isPlanAsked = read(state.query).isHypothetical;
  return best.map((one) => toCandidate(one, isPlanAsked)).sort(byScore);
}

type Scored = Pick<Judged, 'score' | 'source'>;
const byScore = (a: Scored, b: Scored): number => b.score - a.score || (a.source.id < b.source.id ? -1 : 1);

interface Models {
  main: QueryModel;
  facets: Map<string, QueryModel>;
  parts: QueryModel[];
}

interface Read {
  pool: Pooled[];
  /** For each source the counts of all of its sentences and of its title. */
  pageCounts: Counts[];
  /** The sites that have a sentence word for word. */
  hosts: Map<string, Set<string>>;
}

/** Splits the sources into sentences and counts the words of the question in them. */
async function readSources(
  state: ResearchState,
  { main, facets, parts }: Models,
  signal: AbortSignal,
): Promise<Read> {
  const asked = contentTerms(state.query);
  const pool: Pooled[] = [];
  const pageCounts: Counts[] = [];
  const hosts = new Map<string, Set<string>>();
  for (const source of state.sources) {
    // Long pages are split between turns of the event loop, so that a cancellation takes effect.
    await nextTurn();
    signal.throwIfAborted();
    const page: [Counts, ...Counts[]] = [main.count(source.title, TITLE_TIMES)];
    const facet = facets.get(source.subQueryId);
    const headingOf = createHeadings(source.text);
    const sentences = sentencesOf(source.text)
      .slice(0, LIMITS.researchSentencesPerSourceMax)
      .filter(({ text, context = '' }) => !isNoticeSentence(text) && !isNoticeSentence(context));
    for (const [at, sentence] of sentences.entries()) {
      const text = readable(sentence.text);
      const heading = headingOf(sentence.start);
      const terms = termsOf(`${heading}\n${text}`);
      hosts.set(sentence.text, (hosts.get(sentence.text) ?? new Set()).add(hostOf(source.url)));
      const found = main.count(terms);
      page.push(found);
      const next = sentences[at + 1];
      const goesOn = next !== undefined && IN_PARAGRAPH.test(source.text.slice(sentence.end, next.start));
      pool.push({
        source,
        sentence,
        heading,
        ...(goesOn ? { next } : {}),
        main: found,
        facet: facet?.count(terms),
        parts: parts.map((part) => part.count(terms)),
        terms: tellingTerms(terms, asked),
      });
    }
    pageCounts.push(addCounts(page));
  }
  return { pool, pageCounts, hosts };
}

/** What a sentence is worth, whatever it says. */
function weightOf({ source, sentence, terms }: Pooled): number {
  const kind = source.textKind === 'snippet' ? SNIPPET_WEIGHT : 1;
  const isLeaning = sentence.context !== undefined || GOES_ON.test(sentence.text);
  const leaning = isLeaning ? LEANING_WEIGHT : 1;
  const fullness = Math.min(1, 0.5 + terms.length / (2 * FULL_TERMS));
  const figure = hasNumber(sentence.text) ? FIGURE_WEIGHT : 1;
  return QUALITY_WEIGHT[source.quality] * kind * leaning * fullness * figure;
}

const isFull = ({ sentence, terms }: Pooled): boolean =>
  terms.length >= TELLING_TERMS && hasNumber(sentence.text);

/** Whether one of the sentences that match best says what is asked in the words of the question. */
function isAnsweredDirectly(query: string, pool: Pooled[], scores: number[]): boolean {
  const covers = [query, ...wholeParts(query)].map((part) => createCover(part));
  return [...pool.keys()]
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, FIRST)
    .some((at) => covers.some((cover) => cover.of(readable(pool[at]?.sentence.text ?? '')) >= DIRECT));
}

/** White space within a paragraph. */
const IN_PARAGRAPH = /^[^\S\n]*\n?[^\S\n]*$/;

const HEADING = /^\s{0,3}#{1,6}\s+(.+)$/gm;

/** The heading above each place of a text, for places in order. */
function createHeadings(text: string): (at: number) => string {
  const headings = [...text.matchAll(HEADING)];
  let last = '';
  return (at) => {
    for (let next = headings[0]; next !== undefined && next.index < at; next = headings[0]) {
      last = next[1] ?? '';
      headings.shift();
    }
    return last;
  };
}

interface Pooled {
  source: ResearchSource;
  sentence: Sentence;
  heading: string;
  next?: Sentence;
  main: Counts;
  facet: Counts | undefined;
  parts: Counts[];
  /** The terms that say something beyond the question. */
  terms: string[];
}

/** Adds the score of the part of the question that a sentence answers best. */
function addParts(scores: number[], pool: Pooled[], parts: QueryModel[]): void {
  const byPart = parts.map((part, index) => part.score(pool.map((one) => one.parts[index] as Counts)));
  for (const at of pool.keys()) {
    const best = Math.max(0, ...byPart.map((partScores) => partScores[at] ?? 0));
    scores[at] = (scores[at] ?? 0) + PART_WEIGHT * best;
  }
}

function addFacet(scores: number[], pool: Pooled[], id: string, model: QueryModel): void {
  const own = pool.flatMap(({ source, facet }, at) =>
    source.subQueryId === id && facet !== undefined ? [{ at, facet }] : [],
  );
  if (own.length === 0) return;
  model.score(own.map(({ facet }) => facet)).forEach((score, index) => {
    const at = own[index]?.at ?? 0;
    scores[at] = (scores[at] ?? 0) + FACET_WEIGHT * score;
  });
}

function toCandidate(
  { source, sentence, nextEnd, score, isOff, isClose }: Judged,
  isPlanAsked: boolean,
): SentenceCandidate {
  const reading = read(sentence.text, sentence.context, source.text.slice(0, 1_000));
  const weight = reading.isHypothetical && !isPlanAsked ? HYPOTHETICAL_WEIGHT : 1;
  return {
    ...sentence,
    ...(nextEnd === undefined ? {} : { nextEnd }),
    source,
    host: hostOf(source.url),
    score: Math.round(score * weight * 1e4) / 1e4,
    isOff,
    isClose,
    terms: contentTerms(readable(sentence.text)),
    reading,
  };
}
