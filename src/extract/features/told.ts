import type { PageHead } from '../parse/head.ts';
import { type JsonObject, linkedObjects, typesOf } from '../linked-data.ts';
import { put, type Row } from './row.ts';
import { wordNumbers } from './words.ts';

/** Runs of three words, as numbers, of what the page tells machines: its text, what others say of it, and its description. */
export interface Told {
  text: Set<number>;
  reviews: Set<number>;
  description: Set<number>;
}

const TEXT_FIELDS = ['articleBody', 'text', 'description', 'abstract'];
const REVIEW_FIELDS = ['reviewBody', 'description', 'text'];
/** Objects whose descriptions are about somebody else. */
const OTHERS =
  /^(\w*Organization|WebSite|Person|ImageObject|VideoObject|Brand|Offer|LocalBusiness|Corporation)$/;
const CHARS_MAX = 200_000;
const RUN = 3;

/** Reads the texts that JSON-LD and the description hold. */
export function readTold(head: PageHead): Told {
  const told: Told = { text: new Set(), reviews: new Set(), description: new Set() };
  for (const object of linkedObjects(head)) {
    const types = typesOf(object);
    if (types.some((type) => OTHERS.test(type))) continue;
    const isReview = types.includes('Review');
    addFields(object, isReview ? REVIEW_FIELDS : TEXT_FIELDS, isReview ? told.reviews : told.text);
  }
  for (const { name, content } of head.metas)
    if (name === 'description' || name === 'og:description') addRuns(content, told.description);
  return told;
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

/** How much of a block, given by the numbers of its first words, stands in each of them. */
export function writeTold(row: Row, told: Told, words: number[]): void {
  const isSilent = told.text.size === 0 && told.reviews.size === 0 && told.description.size === 0;
  const runs = isSilent ? NO_RUNS : runsOf(words);
  put(row, shareOf(runs, told.text));
  put(row, shareOf(runs, told.reviews));
  put(row, shareOf(runs, told.description));
}

const NO_RUNS: number[] = [];

/** Minus one when the page does not say anything of the kind. */
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
