import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { describeBlocks } from '../../src/extract/features/features.ts';
import { mayRepeat } from '../../src/extract/passes/repeats.ts';
import type { Block, ElementNode } from '../../src/extract/parse/nodes.ts';
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
  /** Text that may be left out or not. */
  optional?: string;
  with?: string[];
  without?: string[];
}

/** What is wanted of a page. */
export interface JudgedPage {
  set: string;
  type: string;
  /** Undefined where only passages are marked. */
  gold: string | undefined;
  /** Text that is no error either way. */
  optional: string;
  wanted: string[];
  unwanted: string[];
}

/** A page as the trainer keeps it: with the place of its rows. */
export interface TrainingPage extends JudgedPage {
  fold: number;
  first: number;
  count: number;
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

interface TrainingSet {
  name: string;
  /** What a page of a type weighs. */
  weight(type: string): number;
}

// Each set of articles moves the model away from lists and shops; pages of other kinds weigh more to make up for it.
const SETS: TrainingSet[] = [
  { name: 'wcxb-dev', weight: (type) => (type === 'article' ? 1 : 1.6) },
  { name: 'traf', weight: () => 0.28 },
  { name: 'articles', weight: () => 1 },
];

/** The sets that a folder holds. */
export function presentSets(folder: string): TrainingSet[] {
  return SETS.filter(({ name }) => {
    const isThere = existsSync(join(folder, `${name}.jsonl.gz`));
    if (!isThere)
      console.log(`${name}.jsonl.gz is not in ${folder}: the figures will be others than the published ones`);
    return isThere;
  });
}

export async function* readPages(folder: string, set: string, limit = Infinity): AsyncGenerator<RawPage> {
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
  sets: TrainingSet[];
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
      pages.push({ ...toJudged(raw), fold, first: labels.length, count: known.length });
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

export const toJudged = (raw: RawPage): JudgedPage => ({
  set: raw.set,
  type: raw.type,
  gold: raw.gold,
  optional: raw.optional ?? '',
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
  const described = blocks.map((block) => ({
    tokens: tokenize(block.text),
    text: block.text,
    isHidden: block.element.hidden !== '',
    mayRepeat: mayRepeat(block),
  }));
  const labels = labelByGold(described, raw.gold);
  if (raw.type !== 'news') return labels;
  const generous = labelByGold(described, `${raw.optional ?? ''}\n${raw.gold}`);
  return forgetUnjudged(blocks, labels, generous);
}

/**
 * Texts that were written down paragraph by paragraph leave out lists, tables and quoted posts: between the first and the last paragraph nobody
 * judged these. Nor what is optional.
 */
function forgetUnjudged(blocks: Block[], labels: number[], generous: number[]): (number | undefined)[] {
  const isGold = (label: number): boolean => label > 0.5;
  const [first, last] = [labels.findIndex(isGold), labels.findLastIndex(isGold)];
  return labels.map((label, index) => {
    if (isGold(label)) return label;
    if (isGold(generous[index] as number)) return undefined;
    const block = blocks[index] as Block;
    const isInside = index > first && index < last && block.linkChars < 0.5 * block.text.length;
    return isInside && isUnjudged(block.element) ? undefined : label;
  });
}

const UNJUDGED = new Set(['li', 'td', 'th', 'dd', 'dt', 'blockquote', 'pre']);

function isUnjudged(element: ElementNode | undefined): boolean {
  for (let at = element; at !== undefined; at = at.parent) if (UNJUDGED.has(at.tag)) return true;
  return false;
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
    if (wanted === 0 || label === undefined) return 0;
    const weight = ((measures[index] as Measure).words + 2) * scale;
    if (label > 0.05) return weight;
    return hash(`${raw.id} ${index}`) % 1_000 < THINNED_SHARE * 1_000 ? weight / THINNED_SHARE : 0;
  });
}
