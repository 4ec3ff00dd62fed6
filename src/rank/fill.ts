import type { Chunk } from '../core/source.ts';
import { framed } from './frame.ts';
import { joinChunks } from './join.ts';
import { countTokens, estimateTokens } from './tokens.ts';

/** The tokens of the mark between two passages. */
const JOINT_TOKENS = 4;
/** Candidates are taken by the estimate up to this share of the budget; the exact count decides among them. */
const SPARE = 1.5;

export const byScore = (a: Chunk, b: Chunk): number => (b.score ?? 0) - (a.score ?? 0);
const byPlace = (a: Chunk, b: Chunk): number => a.start - b.start;

/** Of passages in the order of their rank, those that may fit into a budget. */
export function likelyToFit(ranked: Chunk[], tokensMax: number): Chunk[] {
  let room = tokensMax * SPARE;
  return ranked.filter((chunk) => {
    if (room <= 0) return false;
    room -= estimateTokens(framed(chunk));
    return true;
  });
}

/** Fills a token budget with the passages of one page; see `fillPages`. */
export const fillBudget = async <Passage extends Chunk>(
  chunks: Passage[],
  tokensMax: number,
  show?: (passage: Passage) => Passage,
): Promise<Passage[]> => (await fillPages([chunks], tokensMax, show))[0] ?? [];

/**
 * Fills a token budget with passages by rank, over all pages together, and returns those of each page in
 * page order. A passage that does not fit makes room for the next one that does. Empty when not even one
 * fits. `show` gives a passage as it will be written, which is what counts.
 */
export async function fillPages<Passage extends Chunk>(
  pages: Passage[][],
  tokensMax: number,
  show: (passage: Passage) => Passage = (passage) => passage,
): Promise<Passage[][]> {
  const taken = new Set<Passage>();
  let room = tokensMax;
  for (const chunk of pages.flat().sort(byScore)) {
    if (room <= JOINT_TOKENS) break;
    const tokens = (await countTokens(framed(show(chunk)))) + (taken.size === 0 ? 0 : JOINT_TOKENS);
    if (tokens > room) continue;
    taken.add(chunk);
    room -= tokens;
  }
  for (;;) {
    const filled = pages.map((chunks) => chunks.filter((chunk) => taken.has(chunk)).sort(byPlace));
    // Passages that are joined may have a few tokens more than each by itself.
    const counts = await Promise.all(filled.map((chunks) => countTokens(joinChunks(chunks.map(show)))));
    if (counts.reduce((sum, count) => sum + count, 0) <= tokensMax) return filled;
    taken.delete([...taken].at(-1) as Passage);
  }
}

/**
 * How long a passage should be for a budget: short enough that several fit, long enough to answer. Scripts
 * without spaces say in a character what takes others four.
 */
export function passageChars(content: string, tokensMax: number): number {
  const sample = content.slice(0, SAMPLE_CHARS);
  const perChar = estimateTokens(sample) / Math.max(1, sample.length);
  const least = Math.min(TOKENS_SHORT, tokensMax * SHARE_MAX);
  const tokens = Math.min(TOKENS_LONG, Math.max(least, tokensMax * SHARE));
  return Math.round(tokens / Math.max(perChar, PER_CHAR_MIN));
}

const SAMPLE_CHARS = 20_000;
const PER_CHAR_MIN = 0.1;
/** Measured by benchmarks/passages: about three passages in a small budget, and none longer than a paragraph. */
const TOKENS_SHORT = 70;
const TOKENS_LONG = 180;
const SHARE = 0.35;
/** Of a budget smaller than a passage: the best one must fit, or a worse one takes its place. */
const SHARE_MAX = 0.6;
