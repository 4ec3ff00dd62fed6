import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { ContentFormat } from '../core/query.ts';
import type { Chunk } from '../core/source.ts';
import { addAgreement } from './agreement.ts';
import { addCounts, createQueryModel, TITLE_TIMES, type Counts, type QueryModel } from './bm25.ts';
import { chunkText } from './chunk.ts';
import { byScore, likelyToFit, passageChars } from './fill.ts';
import { withoutHeading } from './frame.ts';
import { withoutAddresses } from './links.ts';
import { tokenise } from './tokenise.ts';
import { createNearDuplicates } from './near-duplicates.ts';

export interface RankDocument {
  id: string;
  title?: string;
  content: string;
}

export interface RankOptions {
  /** How many passages each document keeps, 1–5. */
  chunksPerSource?: number;
  /** Instead of a number: as many passages of each document as may fit into this budget; see `fillBudget`. */
  tokensMax?: number | undefined;
  charsMax?: number;
  format?: ContentFormat;
}

export interface RankedDocument {
  id: string;
  /** 0–1; the best document has 1, a document without a match 0. */
  score: number;
  /**
   * The best passages in document order; empty only when the document is empty or a duplicate of another one.
   */
  chunks: Chunk[];
  /** The document with the same passages, when this one is a duplicate. */
  duplicateOf?: string;
}

/**
 * Ranks documents by a query and selects their best passages. A document's score is half its own match and
 * half that of its best passage. Passages that a better document already has are left out as near-duplicates.
 */
export function rankChunks(
  query: string,
  documents: RankDocument[],
  options: RankOptions = {},
): RankedDocument[] {
  const chars = documents.reduce((sum, { content }) => sum + content.length, 0);
  if (chars > LIMITS.rankCharsMax) {
    throw new HeadgateError(
      'payload_too_large',
      own`These pages have ${chars} characters; at most ${LIMITS.rankCharsMax} are ranked at once.`,
      {
        remediation: 'Rank fewer pages in one call.',
      },
    );
  }
  const model = createQueryModel(query);
  const candidates = documents.map((document) => readCandidate(model, document, options));
  scoreCandidates(model, candidates);
  const ordered = candidates.toSorted((a, b) => b.score - a.score);
  const perSource = Math.min(Math.max(1, options.chunksPerSource ?? 3), LIMITS.chunksPerSourceMax);
  return pickChunks(ordered, options.tokensMax === undefined ? perSource : Infinity, options.tokensMax);
}

interface Candidate {
  id: string;
  title: string;
  chunks: Chunk[];
  /** The passages as a reader sees them. */
  shown: string[];
  chunkCounts: Counts[];
  counts: Counts;
  score: number;
}

function readCandidate(model: QueryModel, document: RankDocument, options: RankOptions): Candidate {
  const { tokensMax = Infinity, charsMax = tokensMax === Infinity ? LIMITS.chunkCharsMax : Infinity } =
    options;
  const chunks = chunkText(document.content, {
    ...options,
    charsMax: Math.min(charsMax, passageChars(document.content, tokensMax)),
  });
  const { id, title = '' } = document;
  const titleCounts = model.count(title);
  const shown = chunks.map(({ text }) => withoutAddresses(text));
  const texts = shown.map((text) => model.count(text));
  const chunkCounts = chunks.map((chunk, at) => {
    // A passage that begins with its heading already counts it.
    const above = [...(chunk.headings ?? []), withoutHeading(chunk.opening) ?? ''];
    const outside = above.filter((words) => !shown[at]?.includes(words)).join('\n');
    const text = texts[at] as Counts;
    return addCounts(outside === '' ? [titleCounts, text] : [titleCounts, model.count(outside), text]);
  });
  const counts = addCounts([model.count(title, TITLE_TIMES), ...texts]);
  return { id, title, chunks, shown, chunkCounts, counts, score: 0 };
}

/** True for a table of contents: a passage that is mostly links to sections. */
function isContents(text: string): boolean {
  const links = text.match(/\[[^\]\n]*\]\([^()\s]*#[^()\s]*\)/g) ?? [];
  if (links.length < CONTENTS_LINKS_MIN) return false;
  const linked = links.reduce((sum, link) => sum + link.length, 0);
  return text.length - linked <= links.length * CONTENTS_WORDS_MAX;
}

const CONTENTS_LINKS_MIN = 3;
/** Characters per link: its number in the list, and the heading above. */
const CONTENTS_WORDS_MAX = 12;
/** The factor for the match of such a passage. */
const CONTENTS_PART = 0.3;

/**
 * Raises the length of passages that are much shorter than the others of their page: their few words would
 * otherwise weigh too much.
 */
function evened({ shown, chunkCounts }: Candidate): Counts[] {
  const least = (shown.reduce((sum, text) => sum + text.length, 0) / shown.length) * SHORT_PART;
  return chunkCounts.map((one, at) => {
    const chars = shown[at]?.length ?? 0;
    return chars === 0 || chars >= least
      ? one
      : { ...one, lengths: one.lengths.map((length) => (length * least) / chars) };
  });
}

const SHORT_PART = 0.6;

/** Sets the score of every document and passage, divided by the best. */
function scoreCandidates(model: QueryModel, candidates: Candidate[]): void {
  const pages = model.score(candidates.map(({ counts }) => counts));
  const all = candidates.flatMap(({ chunks }) => chunks);
  const passages = model.score(candidates.flatMap(evened));
  const texts = candidates.flatMap(({ title, shown }) => shown.map((text) => `${title}\n${text}`));
  for (const [at, { text }] of all.entries())
    if (isContents(text)) passages[at] = (passages[at] ?? 0) * CONTENTS_PART;
  addAgreement(passages, (at) => tokenise(texts[at] ?? ''));
  const pageMax = Math.max(...pages, Number.MIN_VALUE);
  const passageMax = passages.reduce((max, score) => Math.max(max, score), Number.MIN_VALUE);
  let place = 0;
  for (const [at, candidate] of candidates.entries()) {
    let chunkMax = 0;
    for (const chunk of candidate.chunks) {
      chunk.score = round((passages[place] ?? 0) / passageMax);
      chunkMax = Math.max(chunkMax, chunk.score);
      place += 1;
    }
    candidate.score = ((pages[at] ?? 0) / pageMax + chunkMax) / 2;
  }
  const scoreMax = Math.max(...candidates.map(({ score }) => score), Number.MIN_VALUE);
  for (const candidate of candidates) candidate.score = round(candidate.score / scoreMax);
}

/** Below this share of the best score of its page a passage only shares a common word with the query. */
const WEAK = 0.15;

function pickChunks(ordered: Candidate[], perSource: number, tokensMax?: number): RankedDocument[] {
  const duplicates = createNearDuplicates();
  return ordered.map(({ id, score, chunks }) => {
    const sorted = chunks.toSorted(byScore);
    const best = tokensMax === undefined ? sorted : likelyToFit(sorted, tokensMax);
    const picked: Chunk[] = [];
    let duplicateOf: string | undefined;
    for (const chunk of best) {
      if (picked.length === perSource) break;
      // Without any match only the beginning of a page is returned.
      if (picked.length > 0 && (chunk.score ?? 0) <= (best[0]?.score ?? 0) * WEAK) break;
      const owner = duplicates.register(chunk.text, id);
      if (owner === undefined) picked.push(chunk);
      else if (owner !== id) duplicateOf ??= owner;
    }
    const inOrder = picked.sort((a, b) => a.start - b.start);
    return {
      id,
      score,
      chunks: inOrder,
      ...(picked.length === 0 && duplicateOf !== undefined && { duplicateOf }),
    };
  });
}

const round = (score: number): number => Math.round(score * 1e6) / 1e6;
