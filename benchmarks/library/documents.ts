import type { RankingSet } from '../ranking/corpus.ts';
import { spread } from '../ranking/corpus.ts';
import type { BenchmarkDocument } from './engines.ts';

const ENGLISH = /scifact|cranfield|xquad_en/;

/** Documents of five to eleven sentences from anywhere in the English sets, the same every time; a number of its own makes each one unique. */
export function* manyDocuments(sets: RankingSet[], count: number): Generator<BenchmarkDocument> {
  const sentences = sets
    .filter(({ name }) => ENGLISH.test(name))
    .flatMap(({ passages }) => passages.flatMap(({ text }) => text.split(/(?<=[.!?])\s+/)))
    .filter((sentence) => sentence.length > 20);
  let state = 12_345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let at = 0; at < count; at += 1) {
    const picked = Array.from({ length: 5 + random(7) }, () => sentences[random(sentences.length)] ?? '');
    yield { id: `d${at}`, title: (picked[0] ?? '').slice(0, 80), text: `${picked.join(' ')} ref${at}` };
  }
}

/** A hundred queries of each English set. */
export const manyQueries = (sets: RankingSet[]): string[] =>
  sets
    .filter(({ name }) => ENGLISH.test(name))
    .flatMap((set) => spread(set.queries, 100))
    .map(({ text }) => text);
