import type { PageHead } from '../parse/head.ts';
import { type JsonObject, linkedObjects, typesOf } from '../parse/linked-data.ts';
import { put, type Row } from './row.ts';
import { wordNumbers } from './words.ts';

/**
 * Word triples, as hashes, of the texts in the structured data of a page: article, reviews and description.
 */
export interface StructuredText {
  text: Set<number>;
  reviews: Set<number>;
  description: Set<number>;
}

const TEXT_FIELDS = ['articleBody', 'text', 'description', 'abstract'];
const REVIEW_FIELDS = ['reviewBody', 'description', 'text'];
/** Types whose descriptions are not about the page. */
const OTHERS =
  /^(\w*Organization|WebSite|Person|ImageObject|VideoObject|Brand|Offer|LocalBusiness|Corporation)$/;
const CHARS_MAX = 200_000;
const RUN = 3;

/** Reads the texts in JSON-LD and the meta description. */
export function readStructuredText(head: PageHead): StructuredText {
  const structuredText: StructuredText = { text: new Set(), reviews: new Set(), description: new Set() };
  for (const object of linkedObjects(head)) {
    const types = typesOf(object);
    if (types.some((type) => OTHERS.test(type))) continue;
    const isReview = types.includes('Review');
    addFields(
      object,
      isReview ? REVIEW_FIELDS : TEXT_FIELDS,
      isReview ? structuredText.reviews : structuredText.text,
    );
  }
  for (const { name, content } of head.metas)
    if (name === 'description' || name === 'og:description') addRuns(content, structuredText.description);
  return structuredText;
}

function addFields(object: JsonObject, fields: string[], runs: Set<number>): void {
  for (const field of fields) {
    const value = object[field];
    if (typeof value === 'string') addRuns(value.replace(/<[^>]{0,500}>|&[a-z]+;/gi, ' '), runs);
  }
}

function addRuns(text: string, runs: Set<number>): void {
  for (const run of runsOf(wordNumbers(text.slice(0, CHARS_MAX)))) runs.add(run);
}

/** Writes how much of a block occurs in the structured data. `words` are the hashes of its first words. */
export function writeStructuredText(row: Row, structuredText: StructuredText, words: number[]): void {
  const isSilent =
    structuredText.text.size === 0 &&
    structuredText.reviews.size === 0 &&
    structuredText.description.size === 0;
  const runs = isSilent ? NO_RUNS : runsOf(words);
  put(row, 'structured.text', shareOf(runs, structuredText.text));
  put(row, 'structured.reviews', shareOf(runs, structuredText.reviews));
  put(row, 'structured.description', shareOf(runs, structuredText.description));
}

const NO_RUNS: number[] = [];

/** Returns -1 if the page has no such text. */
function shareOf(runs: number[], known: Set<number>): number {
  if (known.size === 0) return -1;
  let found = 0;
  for (const run of runs) if (known.has(run)) found += 1;
  return runs.length === 0 ? 0 : found / runs.length;
}

function runsOf(words: number[]): number[] {
  const runs: number[] = [];
  for (let index = 0; index + RUN <= words.length; index++)
    runs.push(
      (Math.imul(Math.imul(words[index] as number, 31) + (words[index + 1] as number), 31) +
        (words[index + 2] as number)) |
        0,
    );
  return runs;
}
