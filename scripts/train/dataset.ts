import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { describeBlocks } from '../../src/extract/features/features.ts';
import { mayRepeat } from '../../src/extract/choice/refine.ts';
import type { Measure } from '../../src/extract/features/measure.ts';
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

/** A page as the trainer keeps it: where its rows are, and what is wanted of it. */
export interface TrainingPage {
  id: string;
  set: string;
  type: string;
  fold: number;
  first: number;
  count: number;
  /** Undefined where only passages are marked. */
  gold: string | undefined;
  wanted: string[];
  unwanted: string[];
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
  /** Files of the folder, and what a page of each type weighs. */
  sets: { name: string; weight(type: string): number }[];
  folds: number;
  /** What stays together in a fold: the pages of a host, so that no site helps to judge itself, or nothing. */
  split: 'host' | 'page';
  limit: number;
}

/** Reads the sets and describes every block. */
export async function loadDataset(options: LoadOptions): Promise<Dataset> {
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
      const known = labelPage(raw, survey);
      const fold = hash(options.split === 'host' ? hostOf(raw) : raw.id) % options.folds;
      pages.push(toPage(raw, { fold, first: labels.length, count: known.length }));
      terms.add(survey, hostOf(raw));
      for (const label of known) labels.push(label ?? 0);
      for (const weight of weighPage(raw, survey, known)) weights.push(weight * set.weight(raw.type));
      parts.push(table.values);
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

const toPage = (raw: RawPage, rows: Pick<TrainingPage, 'fold' | 'first' | 'count'>): TrainingPage => ({
  id: raw.id,
  set: raw.set,
  type: raw.type,
  ...rows,
  gold: raw.gold,
  wanted: raw.with ?? [],
  unwanted: raw.without ?? [],
});

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

function labelPage(raw: RawPage, { tree: { blocks } }: Survey): (number | undefined)[] {
  if (raw.gold === undefined)
    return labelBySegments(
      blocks.map(({ text }) => text),
      raw.with ?? [],
      raw.without ?? [],
    );
  return labelByGold(
    blocks.map((block) => ({
      tokens: tokenize(block.text),
      text: block.text,
      isHidden: block.element.hidden !== '',
      mayRepeat: mayRepeat(block),
    })),
    raw.gold,
  );
}

const THINNED_SHARE = 0.4;
const WEIGHT_MAX = 400;

/**
 * What a mistake costs: words in proportion to the gold text, because F1 forgives little on pages with little content. Marked passages
 * of partly marked pages weigh alike. Most furniture is alike too, so that a part of it, weighed up, stands for all.
 */
function weighPage(raw: RawPage, { measures }: Survey, known: (number | undefined)[]): number[] {
  if (raw.gold === undefined) {
    const marked = known.filter((label) => label !== undefined).length;
    return known.map((label) => (label === undefined ? 0 : PAGE_WEIGHT / marked));
  }
  const wanted = tokenize(raw.gold).length;
  const words = measures.reduce((sum, measure) => sum + measure.words + 2, 0);
  const scale = Math.min(WEIGHT_MAX / words, PAGE_WEIGHT / (2 * wanted + 40));
  return known.map((label, index) => {
    if (wanted === 0) return 0;
    const weight = ((measures[index] as Measure).words + 2) * scale;
    if ((label ?? 0) > 0.05) return weight;
    return hash(`${raw.id} ${index}`) % 1_000 < THINNED_SHARE * 1_000 ? weight / THINNED_SHARE : 0;
  });
}
