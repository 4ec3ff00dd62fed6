import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { describeBlocks } from '../../src/extract/features/features.ts';
import { mayRepeat } from '../../src/extract/choice/refine.ts';
import { type Survey, surveyPage } from '../../src/extract/features/survey.ts';
import { buildTree } from '../../src/extract/parse/tree.ts';
import { shareFloats } from './boost-threads.ts';
import { createTermCollector, NO_LEXICON, type TermTable } from './lexical.ts';
import { labelByGold, labelBySegments, tokenize } from './label.ts';

interface RawPage {
  id: string;
  set: string;
  type: string;
  url: string;
  html: string;
  gold?: string;
  with?: string[];
  without?: string[];
}

/** A page as the trainer keeps it: where its rows are, and what is needed to score a choice of blocks. */
export interface TrainingPage {
  id: string;
  set: string;
  type: string;
  url: string;
  fold: number;
  first: number;
  count: number;
  words: Float64Array;
  /** Word numbers of each block and of the gold text. */
  tokens: Int32Array[];
  gold: Int32Array;
  texts: string[];
  wanted: string[];
  unwanted: string[];
  hidden: Uint8Array;
  /** By block: the number of its structure. */
  paths: Int32Array;
  /** Blocks that may stand on a page twice. */
  repeatable: Uint8Array;
}

export interface Dataset {
  pages: TrainingPage[];
  values: Float32Array;
  width: number;
  labels: Float32Array;
  weights: Float32Array;
  terms: TermTable;
}

const PAGE_WEIGHT = 100;

export async function* readPages(folder: string, set: string, limit: number): AsyncGenerator<RawPage> {
  const input = createReadStream(join(folder, `${set}.jsonl.gz`)).pipe(createGunzip());
  let count = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line === '') continue;
    if (count++ >= limit) return;
    yield JSON.parse(line) as RawPage;
  }
}

/** Parses a page as the product does. */
export const surveyHtml = (html: string): Survey => surveyPage(buildTree(html));

interface LoadOptions {
  folder: string;
  sets: { name: string; weight: number }[];
  folds: number;
  limit: number;
}

/** Reads the sets and describes every block. Pages of one host share a fold, so that no site helps to judge itself. */
export async function loadDataset(options: LoadOptions): Promise<Dataset> {
  const numbers = new Map<string, number>();
  const pages: TrainingPage[] = [];
  const parts: Float32Array[] = [];
  const labels: number[] = [];
  const weights: number[] = [];
  const terms = createTermCollector();
  let width = 0;
  for (const set of options.sets) {
    for await (const raw of readPages(options.folder, set.name, options.limit)) {
      const survey = surveyHtml(raw.html);
      const table = describeBlocks(survey, realUrl(raw.url), NO_LEXICON);
      width = Math.max(width, table.width);
      const page = toPage(raw, survey, numbers, labels.length, options.folds);
      const known = labelPage(raw, page);
      terms.add(survey, hostOf(raw));
      for (const label of known) labels.push(label ?? 0);
      for (const weight of weighPage(raw, page, known)) weights.push(weight * set.weight);
      parts.push(table.values);
      pages.push(page);
    }
  }
  const values = new Float32Array(labels.length * width);
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return {
    pages,
    values,
    width,
    labels: shareFloats(Float32Array.from(labels)),
    weights: shareFloats(Float32Array.from(weights)),
    terms: terms.finish(),
  };
}

export const realUrl = (url: string): string | undefined => (url.startsWith('http') ? url : undefined);

function toPage(
  raw: RawPage,
  survey: Survey,
  numbers: Map<string, number>,
  first: number,
  folds: number,
): TrainingPage {
  const blocks = survey.tree.blocks;
  return {
    id: raw.id,
    set: raw.set,
    type: raw.type,
    url: raw.url,
    fold: hash(hostOf(raw)) % folds,
    first,
    count: blocks.length,
    words: Float64Array.from(survey.measures, (measure) => measure.words),
    tokens: blocks.map((block) => numberWords(block.text, numbers)),
    gold: numberWords(raw.gold ?? '', numbers),
    texts: blocks.map((block) => Buffer.from(block.text).toString()),
    wanted: raw.with ?? [],
    unwanted: raw.without ?? [],
    hidden: Uint8Array.from(blocks, (block) => Number(block.element.hidden !== '')),
    paths: survey.paths,
    repeatable: Uint8Array.from(blocks, (block) => Number(mayRepeat(block))),
  };
}

function hostOf(raw: RawPage): string {
  const host = URL.parse(raw.url)?.hostname;
  return host === undefined || host === ''
    ? raw.id.replace(/^.*::/, '').replace(/\.[a-z]+[-.].*$/, '')
    : host.replace(/^www\./, '');
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 16_777_619);
  return value >>> 1;
}

function numberWords(text: string, numbers: Map<string, number>): Int32Array {
  return Int32Array.from(tokenize(text), (word) => {
    let number = numbers.get(word);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(word, number);
    }
    return number;
  });
}

function labelPage(raw: RawPage, page: TrainingPage): (number | undefined)[] {
  if (raw.gold !== undefined)
    return labelByGold(
      page.texts.map((text, index) => ({
        tokens: tokenize(text),
        text,
        isHidden: page.hidden[index] === 1,
        mayRepeat: page.repeatable[index] === 1,
      })),
      raw.gold,
    );
  return labelBySegments(page.texts, page.wanted, page.unwanted);
}

const THINNED_SHARE = 0.4;
const WEIGHT_MAX = 400;

/**
 * What a mistake costs: words in proportion to the gold text, because F1 forgives little on pages with little content. Marked passages
 * of partly marked pages weigh alike. Most furniture is alike too, so that a part of it, weighed up, stands for all.
 */
function weighPage(raw: RawPage, page: TrainingPage, known: (number | undefined)[]): number[] {
  if (raw.gold === undefined) {
    const marked = known.filter((label) => label !== undefined).length;
    return known.map((label) => (label === undefined ? 0 : PAGE_WEIGHT / marked));
  }
  const words = page.words.reduce((sum, count) => sum + count + 2, 0);
  const scale = Math.min(WEIGHT_MAX / words, PAGE_WEIGHT / (2 * page.gold.length + 40));
  return known.map((label, index) => {
    if (page.gold.length === 0) return 0;
    const weight = ((page.words[index] as number) + 2) * scale;
    if ((label ?? 0) > 0.05) return weight;
    return hash(`${page.id} ${index}`) % 1_000 < THINNED_SHARE * 1_000 ? weight / THINNED_SHARE : 0;
  });
}
