import type { Chunk } from '../core/source.ts';
import { fillPages } from './fill.ts';
import { joinChunks } from './join.ts';
import { seenPassage } from './links.ts';
import { rankChunks, type RankDocument } from './rank.ts';

/** A document, and its passages when they have been ranked together with those of the others. */
export type FitDocument = RankDocument & { chunks?: Chunk[] | undefined };

/**
 * Fits the contents of several documents into one token budget: the best passages of any of them, by rank.
 * Returns a content for every document; it is empty when all of the budget went to better passages.
 */
export async function fitContents(
  query: string,
  documents: FitDocument[],
  tokensMax: number,
  show: (passage: Chunk) => Chunk = seenPassage,
): Promise<string[]> {
  const isRanked = ({ chunks }: FitDocument): boolean =>
    chunks?.every(({ score }) => score !== undefined) === true;
  const rest = rankChunks(
    query,
    documents.filter((one) => !isRanked(one)),
    { tokensMax },
  );
  const passages = new Map(rest.map(({ id, chunks }) => [id, chunks]));
  const pages = documents.map(({ id, chunks = [] }) => passages.get(id) ?? chunks);
  return (await fillPages(pages, tokensMax, show)).map((chunks) => joinChunks(chunks.map(show)));
}
