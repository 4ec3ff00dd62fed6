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
import { tokenise } from '../rank/tokenise.ts';
import { answerWeight, createBestFit } from './answer-fit.ts';
import { feedbackOf } from './feedback.ts';
import { chanceOf, createMerit } from './merit.ts';
import { onTopic, type Judged, type Scored as Ranked } from './on-topic.ts';
import { centralityOf, type Centrality } from './centrality.ts';
import { sharedWith, tellingTerms, termsBySource } from './shared-terms.ts';
import { wholeParts } from './plan.ts';
import { isNoticeSentence } from '../evidence/notice.ts';
import { countNumbers } from '../evidence/numbers.ts';
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
  /** The chance that it belongs in a report about the question. */
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
/** A sentence that answers one part of the question is as good as one that touches all of them. */
const PART_WEIGHT = 0.8;
/** What counts for a sentence: its own words, its page, what other pages share with it, its figures, and how much it says. */
const WEIGHTS = { sentence: 1, page: 1, shared: 2.3, figures: 0.8, fullness: 1.5 };
/** More figures than this tell no more. */
const FIGURES_MAX = 2;
/** A sentence with fewer words beyond those of the question is worth less, down to half. */
const FULL_TERMS = 10;
/** With enough other sources, a low-quality page is quoted only for what no other page says as well. */
const LOW_SCORE_MIN = 0.7;
const ENOUGH = 5;
/** A sentence is printed with the next one only if that scores this much. */
const NEXT_SCORE_MIN = 0.6;
const TRUST_MIN = 0.5;
/** How many sentences are judged, the best of all, for those that become candidates. */
const JUDGED_MAX = 3 * LIMITS.researchCandidatesMax;

/** The sentences of all sources that answer the question best, best first. */
export async function candidatesOf(state: ResearchState, signal: AbortSignal): Promise<SentenceCandidate[]> {
  const main = createQueryModel(state.query);
  const parts = wholeParts(state.query).map((part) => createQueryModel(part));
  const { pool, pageCounts, hosts } = await readSources(state, { main, parts }, signal);
  const scores = [...main.score(pool.map((one) => one.main))];
  addParts(scores, pool, parts);
  const weighted = pool.map((one, at) => (scores[at] ?? 0) * weightOf(one));
  const most = weighted.reduce((max, score) => Math.max(max, score), 0);
  if (most === 0) return [];
  // How well each page as a whole matches, 1 for the best.
  const pageScores = main.score(pageCounts);
  const bestPage = Math.max(...pageScores) || 1;
  /** On other sites too, word for word but for figures, as notices and comments are that many pages have. */
  const isShared = (sentence: Sentence): boolean => (hosts.get(wordingOf(sentence))?.size ?? 0) > 1;
  const telling = pool.map(({ source, sentence, terms }) => ({
    source,
    terms,
    isCopied: isShared(sentence),
  }));
  const termsIn = termsBySource(telling);
  const centrality = centralityOf(termsIn);
  const pages = new Map(
    state.sources.map((source, at) => {
      const trust = centrality.trust(source);
      return [source, (1 - trust) * ((pageScores[at] ?? 0) / bestPage) + trust * centrality.of(source)];
    }),
  );
  const shared = sharedWith(telling, termsIn, pages);
  const whole = WEIGHTS.sentence + WEIGHTS.page + WEIGHTS.shared + WEIGHTS.figures + WEIGHTS.fullness;
  const ranked = pool
    .map((one, at) => {
      const { source, sentence, heading, isFirst, next } = one;
      const page = pages.get(source) ?? 0;
      const alike = shared[at] ?? 0;
      const figures = Math.min(1, countNumbers(sentence.text) / FIGURES_MAX);
      const beside = WEIGHTS.page * page + WEIGHTS.shared * alike + WEIGHTS.figures * figures;
      const score =
        WEIGHTS.sentence * ((weighted[at] ?? 0) / most) +
        (beside + WEIGHTS.fullness * fullnessOf(one)) * kindOf(one);
      return {
        source,
        sentence,
        heading,
        isFirst,
        nextEnd: next === undefined || isShared(next) ? undefined : next.end,
        isShared: isShared(sentence),
        page,
        score: score / whole,
      };
    })
    .sort(byScore);
  return bestOf(state, centrality, ranked);
}

/** Those of the sentences that match best that belong in a report, as far as can be told, the likeliest first. */
function bestOf(state: ResearchState, centrality: Centrality, ranked: Ranked[]): SentenceCandidate[] {
  const fitOf = createBestFit(state.query);
  const likely = ranked.slice(0, JUDGED_MAX).map((one) => {
    const fit = fitOf(one.sentence.text);
    return { ...one, fit, score: one.score * answerWeight(fit) };
  });
  const judged = onTopic(state, centrality, likely);
  const merit = createMerit(state.query, judged, centrality.trusted);
  const scored = judged.map((one) => ({ ...one, merit: merit.of(one) }));
  const worthy = scored.filter(({ source, score }) => source.quality !== 'low' || score >= LOW_SCORE_MIN);
  const best = (worthy.length >= ENOUGH ? worthy : scored)
    .sort((a, b) => b.merit - a.merit || byScore(a, b))
    .slice(0, LIMITS.researchCandidatesMax);
  const parsed = best.map((one) => {
    const reading = read(one.sentence.text, one.sentence.context, one.source.text.slice(0, 1_000));
    const terms = contentTerms(readable(one.sentence.text));
    return { ...one, reading, terms, merit: one.merit + merit.added(one, reading) };
  });
  const feedback = feedbackOf(parsed, contentTerms(state.query));
  return withoutWeakNext(
    parsed.map((one, at) => toCandidate(one, chanceOf(one.merit + centrality.trusted * (feedback[at] ?? 0)))),
    centrality.trust,
  ).sort(byScore);
}

/** Goes on with the next sentence only where that one is about the question, too, as far as can be told. */
function withoutWeakNext(
  candidates: SentenceCandidate[],
  trust: (source: ResearchSource) => number,
): SentenceCandidate[] {
  const endOf = ({ source }: SentenceCandidate, end: number): string => `${source.id} ${end}`;
  const good = new Set(
    candidates
      .filter(({ isOff, score, source }) => trust(source) < TRUST_MIN || (!isOff && score >= NEXT_SCORE_MIN))
      .map((one) => endOf(one, one.end)),
  );
  return candidates.map(({ nextEnd, ...one }) =>
    nextEnd !== undefined && good.has(endOf(one, nextEnd)) ? { ...one, nextEnd } : one,
  );
}

type Scored = Pick<SentenceCandidate, 'score' | 'source'>;
const byScore = (a: Scored, b: Scored): number => b.score - a.score || (a.source.id < b.source.id ? -1 : 1);

interface Models {
  main: QueryModel;
  parts: QueryModel[];
}

interface Read {
  pool: Pooled[];
  /** For each source the counts of all of its sentences and of its title. */
  pageCounts: Counts[];
  /** The sites that have a sentence word for word but for its figures. */
  hosts: Map<string, Set<string>>;
}

/** Splits the sources into sentences and counts the words of the question in them. */
async function readSources(
  state: ResearchState,
  { main, parts }: Models,
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
    const headingOf = createHeadings(source.text);
    const sentences = sentencesOf(source.text)
      .slice(0, LIMITS.researchSentencesPerSourceMax)
      .filter(({ text, context = '' }) => !isNoticeSentence(text) && !isNoticeSentence(context));
    for (const [at, sentence] of sentences.entries()) {
      const text = readable(sentence.text);
      const { heading, words } = headingOf(sentence.start);
      const terms = termsOf(`${heading}\n${text}`);
      const wording = wordingOf(sentence);
      hosts.set(wording, (hosts.get(wording) ?? new Set()).add(hostOf(source.url)));
      const found = main.count(terms);
      page.push(found);
      const next = sentences[at + 1];
      const goesOn = next !== undefined && IN_PARAGRAPH.test(source.text.slice(sentence.end, next.start));
      pool.push({
        source,
        sentence,
        heading,
        isFirst: at === 0,
        ...(goesOn ? { next } : {}),
        main: found,
        parts: parts.map((part) => part.count(terms)),
        terms: tellingTerms(terms, words, asked),
      });
    }
    pageCounts.push(addCounts(page));
  }
  return { pool, pageCounts, hosts };
}

/** What the words of a sentence are worth, whatever they say. */
function weightOf(one: Pooled): number {
  const isLeaning = one.sentence.context !== undefined || GOES_ON.test(one.sentence.text);
  return kindOf(one) * (isLeaning ? LEANING_WEIGHT : 1) * (0.5 + fullnessOf(one) / 2);
}

const fullnessOf = ({ terms }: Pooled): number => Math.min(1, terms.length / FULL_TERMS);

/** What a sentence is worth by its page alone. */
const kindOf = ({ source }: Pooled): number =>
  QUALITY_WEIGHT[source.quality] * (source.textKind === 'snippet' ? SNIPPET_WEIGHT : 1);

/** The words of a sentence whatever its figures: notices of many sites differ in their dates and counts. */
const wordingOf = ({ text }: Sentence): string => text.replaceAll(/\p{N}+/gu, '0');

/** White space within a paragraph. */
const IN_PARAGRAPH = /^[^\S\n]*\n?[^\S\n]*$/;

const HEADING = /^\s{0,3}#{1,6}\s+(.+)$/gm;

interface Heading {
  heading: string;
  /** How many words it has. */
  words: number;
}

/** The heading above each place of a text, for places in order. */
function createHeadings(text: string): (at: number) => Heading {
  const headings = [...text.matchAll(HEADING)];
  let last: Heading = { heading: '', words: 0 };
  return (at) => {
    for (let next = headings[0]; next !== undefined && next.index < at; next = headings[0]) {
      const heading = next[1] ?? '';
      last = { heading, words: tokenise(heading).length };
      headings.shift();
    }
    return last;
  };
}

interface Pooled {
  source: ResearchSource;
  sentence: Sentence;
  heading: string;
  isFirst: boolean;
  next?: Sentence;
  main: Counts;
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

interface Parsed extends Judged {
  source: ResearchSource;
  sentence: Sentence;
  nextEnd: number | undefined;
  reading: Reading;
  terms: Set<string>;
}

function toCandidate(
  { source, sentence, nextEnd, reading, terms, isOff, isClose }: Parsed,
  chance: number,
): SentenceCandidate {
  return {
    ...sentence,
    ...(nextEnd === undefined ? {} : { nextEnd }),
    source,
    host: hostOf(source.url),
    score: Math.round(chance * 1e4) / 1e4,
    isOff,
    isClose,
    terms,
    reading,
  };
}
