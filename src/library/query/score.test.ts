import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { B, K1 } from '../../rank/bm25.ts';
import { createOpenedLibrary } from './snapshot.ts';
import { eachPosting } from '../segment/postings.ts';
import { type Collection, createFinder, type LocatedTerm, weigh } from './score.ts';
import { createFolderStore } from '../segment/store.ts';
import { createLibraryWriter } from '../writer.ts';
import { sized } from '../../../tests/support/sized.ts';

/**
 * Three thousand documents of words that are as unevenly common as those of a language, in three segments.
 */
const folder = mkdtempSync(join(tmpdir(), 'headgate-score-'));
let collection: Collection;
let state = 7;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const word = (): string => `word${Math.floor(2_000 ** random())}`;
const words = (count: number): string => Array.from({ length: count }, word).join(' ');

beforeAll(() => {
  const store = createFolderStore(folder);
  const writer = createLibraryWriter(store);
  for (let segment = 0; segment < 3; segment += 1) {
    const documents = Array.from({ length: 1_000 }, (_, at) => ({
      id: `${segment}-${at}`,
      url: `https://example.com/${segment}/${at}`,
      title: words(2),
      content: words(20 + Math.floor(random() * 200)),
      format: 'text' as const,
      kind: 'page' as const,
    }));
    writer.add(documents, 0);
  }
  writer.remove({ ids: Array.from({ length: 300 }, (_, at) => `1-${at * 3}`) });
  collection = createOpenedLibrary(store).current().collection;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every passage added up, nothing left out. */
function exhaustive(terms: LocatedTerm[], hitsMax: number, accepts: (document: number) => boolean): number[] {
  const found = collection.segments.flatMap((segment, at) => {
    const scores = new Map<number, number>();
    for (const { places, weight } of terms) {
      if (places[at] === -1) continue;
      eachPosting(segment.postings(places[at] ?? 0), (unit, frequency) => {
        const norm = K1 * (1 - B + (B * (segment.index.unitLength[unit] ?? 0)) / collection.length);
        scores.set(unit, (scores.get(unit) ?? 0) + (weight * (K1 + 1) * frequency) / (frequency + norm));
      });
    }
    return [...scores].flatMap(([unit, score]) => {
      const document = segment.index.unitDocument[unit] ?? 0;
      return segment.deleted[document] === 1 || !accepts(document) ? [] : [score];
    });
  });
  return found.toSorted((a, b) => b - a).slice(0, hitsMax);
}

test('what is left out while searching is never among the best', () => {
  const find = createFinder();
  const accept = [() => true, (document: number) => document % 7 !== 0];
  const rounds = sized('searches that are compared with an exhaustive one', {
    small: 20,
    large: 200,
    full: 200,
  });
  let long = 0;
  for (let round = 0; round < rounds; round += 1) {
    const asked = [...new Set(Array.from({ length: 1 + (round % 9) }, word))];
    const terms = weigh(
      collection,
      asked.map((term) => ({ term, weight: 1 })),
    );
    long += terms.filter(({ places }) =>
      places.some((at, segment) => {
        const list = collection.segments[segment];
        return at !== -1 && (list?.index.termCount[at] ?? 0) > 128;
      }),
    ).length;
    const accepts = accept[round % 2] ?? (() => true);
    const hits = find(collection, terms, {
      hitsMax: 10,
      accepts: collection.segments.map(() => accepts),
    });
    const expected = exhaustive(terms, 10, accepts);
    expect(hits.map(({ score }) => score)).toHaveLength(expected.length);
    for (const [at, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[at] ?? 0, 3);
  }
  // The test would say nothing if no list had blocks to jump over.
  expect(long).toBeGreaterThan(rounds);
});
