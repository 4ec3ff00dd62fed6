import type { Source } from '../../core/source.ts';
import { hostOf } from '../../core/url.ts';
import { createCover, NONE_BELOW } from '../../rank/cover.ts';
import { rankChunks } from '../../rank/rank.ts';
import { readable } from '../../evidence/quote.ts';
import { sentencesOf } from '../../evidence/sentences.ts';

const SOURCES_MAX = 5;
const SENTENCES_MAX = 3;

/** An answer without a model: the best-matching sentences of the top sources, quoted with their sites. */
export function extractiveAnswer(question: string, sources: Source[]): string | undefined {
  const cover = createCover(question);
  const sentences = sources.slice(0, SOURCES_MAX).flatMap((source) =>
    sentencesOf(source.snippet)
      .filter(({ text, context = '' }) => {
        const isAbout = cover.of(`${source.title}\n${context}\n${text}`) >= NONE_BELOW;
        return isAbout && cover.of(text) > 0;
      })
      .map(({ text }, index) => ({
        id: `${source.url}#${index}`,
        content: readable(text),
        host: hostOf(source.url),
      })),
  );
  if (sentences.length === 0) return undefined;
  const byId = new Map(sentences.map((sentence) => [sentence.id, sentence]));
  const best = rankChunks(question, sentences, { chunksPerSource: 1 })
    .filter((ranked) => ranked.score > 0 && ranked.duplicateOf === undefined)
    .slice(0, SENTENCES_MAX)
    .flatMap((ranked) => byId.get(ranked.id) ?? []);
  if (best.length === 0) return undefined;
  return `Quoted from the results: ${best.map(({ content, host }) => `“${content}” (${host})`).join(' ')}`;
}
