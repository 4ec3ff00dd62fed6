import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Source } from '../../core/source.ts';
import { joinChunks } from '../../rank/join.ts';
import { foreignTerm, tokeniseFolded, tokeniseForeign } from '../../rank/tokenise.ts';
import type { DocumentKind, LibraryFilters } from '../document.ts';
import { createFilter } from './filter.ts';
import { listDocuments, type LibraryStats, type ListedDocument, type ListOptions, statsOf } from './list.ts';
import { guessNames, type FieldNames } from './names.ts';
import type { UnitHit } from './best.ts';
import {
  createCollection,
  createFinder,
  locate,
  weigh,
  type Collection,
  type FindUnits,
  type LocatedTerm,
  type WeightedTerm,
} from './score.ts';
import { passagesWanted, rankAgain, type ReadHit } from './rank-again.ts';
import { createOpenedLibrary, type Snapshot } from './snapshot.ts';
import type { SegmentStore } from '../segment/store.ts';
import { pickSnippets } from './snippet.ts';

export interface LibrarySearch extends LibraryFilters {
  text: string;
  resultsMax: number;
  chunksPerSource?: number | undefined;
  includeContent?: boolean | undefined;
}

/** A document that was found; `provider` is `local`. */
export interface LibraryHit extends Source {
  id: string;
  kind: DocumentKind;
  package?: string;
  version?: string;
}

export interface LibraryAnswer {
  hits: LibraryHit[];
  /** Words that no document has, and what was searched for instead. */
  guesses: { term: string; names: string[] }[];
  warnings: string[];
  /** True when some segments could not be opened and are left out until they are rebuilt. */
  isDamaged: boolean;
}

/** Searches a store. It follows the commits of writers in this and other processes. */
export interface LibraryReader {
  search(query: LibrarySearch, now: number): LibraryAnswer;
  list(options: ListOptions): ListedDocument[];
  stats(): LibraryStats;
  close(): void;
}

export function createLibraryReader(store: SegmentStore): LibraryReader {
  const opened = createOpenedLibrary(store);
  const search = createSearch();
  return {
    close: () => opened.close(),
    list: (options) => listDocuments(opened.current(), options),
    stats: () => statsOf(opened.current(), store.bytes()),
    search: (query, now) => search([opened.current()], query, now),
  };
}

/** Searches several libraries as one. */
export function createSearch(): (libraries: Snapshot[], query: LibrarySearch, now: number) => LibraryAnswer {
  const find = createFinder();
  return (libraries, query, now) => {
    const collection =
      libraries.length === 1
        ? (libraries[0] as Snapshot).collection
        : createCollection(libraries.flatMap((library) => library.collection.segments));
    const names = () => libraries.map((library) => library.names());
    const { terms, guesses } = termsOf(query.text, collection, names);
    const wanted = Math.min(Math.max(1, query.resultsMax), LIMITS.resultsMax);
    const candidates = passagesWanted(query.text, wanted);
    const found = findHits(find, collection, terms, query, now, candidates).map((hit) =>
      readHit(collection, hit),
    );
    const hits = (candidates > wanted ? rankAgain(query.text, found) : found).slice(0, wanted);
    return {
      isDamaged: libraries.some(({ damaged }) => damaged.length > 0),
      hits: hits.map((hit) => describe(hit, terms, query, hits[0]?.score ?? 1)),
      guesses,
      // What cannot be opened is left out and reported.
      warnings: libraries.flatMap(({ damaged }) => damaged.map(({ error }) => error.explanation)),
    };
  };
}

/** Spelling suggestions are for one or two mistakes, not for a text of unknown words. */
const GUESSED_TERMS_MAX = 3;

function termsOf(
  text: string,
  collection: Collection,
  names: () => FieldNames[],
): { terms: LocatedTerm[]; guesses: LibraryAnswer['guesses'] } {
  const guesses: LibraryAnswer['guesses'] = [];
  let guessed = 0;
  const terms = formsOf(text).flatMap((forms): WeightedTerm[] => {
    const known = forms.filter(({ term }) => locate(collection, term).found > 0);
    if (known.length > 0) return known;
    const term = forms[0]?.term ?? '';
    const found = guessed < GUESSED_TERMS_MAX ? guessNames(term, names()) : [];
    guessed += 1;
    if (found.length > 0) guesses.push({ term, names: found.map((name) => name.term) });
    return found.flatMap((name) => [name, { ...name, term: foreignTerm(name.term), word: name.term }]);
  });
  return { terms: weigh(collection, terms), guesses };
}

/** Words of a Vietnamese question in texts without its tones. */
const UNTONED_WEIGHT = 0.1;

/** The distinct words of a question, each in the forms that documents may have. */
function formsOf(text: string): WeightedTerm[][] {
  const folded = tokeniseFolded(text);
  const foreign = tokeniseForeign(text);
  const seen = new Set<string>();
  const words = folded.map((term, at) => {
    const other = foreign[at] ?? term;
    const toned = /^~.*[^\u0000-\u007F]/.test(other);
    const forms: WeightedTerm[] = [
      { term, weight: toned ? UNTONED_WEIGHT : 1, word: toned ? term : other },
      { term: other, weight: 1, word: other },
    ];
    return forms.filter((form) => !seen.has(form.term) && seen.add(form.term));
  });
  return words.filter((forms) => forms.length > 0).slice(0, LIMITS.libraryTermsMax);
}

function findHits(
  find: FindUnits,
  collection: Collection,
  terms: LocatedTerm[],
  query: LibrarySearch,
  now: number,
  hitsMax: number,
): UnitHit[] {
  const accepts = collection.segments.map((segment) => createFilter(segment, query, now));
  return find(collection, terms, { hitsMax, accepts });
}

function readHit(collection: Collection, hit: UnitHit): ReadHit {
  const segment = collection.segments[hit.segment];
  if (segment === undefined) throw new HeadgateError('internal', 'A hit has no segment.');
  const source = segment.document(hit.document);
  const { unitStart, unitEnd } = segment.index;
  return { ...hit, source, start: unitStart[hit.unit] ?? 0, end: unitEnd[hit.unit] ?? source.content.length };
}

function describe(hit: ReadHit, terms: WeightedTerm[], query: LibrarySearch, best: number): LibraryHit {
  const document = hit.source;
  const stretch = { start: hit.start, end: hit.end, format: document.format };
  const chunksMax = Math.min(Math.max(1, query.chunksPerSource ?? 1), LIMITS.chunksPerSourceMax);
  const chunks = pickSnippets(document.content, stretch, terms, chunksMax);
  return {
    id: document.id,
    url: document.url,
    title: document.title,
    snippet: joinChunks(chunks),
    score: Math.round((hit.score / best) * 1e6) / 1e6,
    chunks,
    kind: document.kind,
    provider: 'local',
    trust: 'untrusted_web',
    ...(document.publishedDate !== undefined && { publishedDate: document.publishedDate }),
    ...(document.package !== undefined && { package: document.package }),
    ...(document.version !== undefined && { version: document.version }),
    ...(query.includeContent === true && { content: document.content }),
  };
}
