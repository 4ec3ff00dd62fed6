/**
 * Trains the model of the extractor: `npx tsx scripts/train-extract.ts --data DIR [--out FILE] [--folds 5] [--limit N]`. DIR holds
 * `wcxb-dev.jsonl.gz` and `traf.jsonl.gz`; see docs/extraction-model.md. The result is the same for the same data.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agree, chooseBlocks, combine } from '../src/extract/choice/choose.ts';
import { REPEAT_WORDS_MIN } from '../src/extract/choice/refine.ts';
import { addContext, CONTEXT_WIDTH } from '../src/extract/choice/context.ts';
import { LEXICAL_WIDTH } from '../src/extract/features/features.ts';
import { layOut, predict, type Walk } from '../src/extract/choice/forest.ts';
import { type Dataset, loadDataset, readPages, surveyHtml, type TrainingPage } from './train/dataset.ts';
import type { BoostTask } from './train/boost-task.ts';
import { boostAll } from './train/boost-threads.ts';
import { type Binned, binFeatures, type BoostOptions, type Grown } from './train/gbdt.ts';
import { scoreLexical, trainLexicon } from './train/lexical.ts';
import { encodeModel } from './train/model-file.ts';
import { report, scoreWords } from './train/score.ts';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, '../src/extract/choice/model.json') },
    folds: { type: 'string', default: '4' },
    limit: { type: 'string', default: 'Infinity' },
    trees: { type: 'string', default: '200' },
    dump: { type: 'string' },
  },
});
if (flags.data === undefined) throw new Error('Say where the training data is: --data DIR');

const folder = flags.data;
const folds = Number(flags.folds);
const sets = [
  { name: 'wcxb-dev', weight: 1 },
  { name: 'traf', weight: 0.7 },
];
const first: BoostOptions = {
  trees: Number(flags.trees),
  leaves: 31,
  rate: 0.08,
  featureShare: 0.25,
  rowShare: 0.6,
  hessianMin: 1,
  lambda: 2,
  seed: 7,
};
// The second stage sees chances that already fit the labels; it is kept simpler, or it learns their noise.
const second: BoostOptions = {
  ...first,
  trees: Math.round(first.trees * 0.7),
  leaves: 20,
  rate: 0.07,
  hessianMin: 4,
  lambda: 10,
  seed: 11,
};

const started = Date.now();
const note = (text: string): void => console.log(`[${Math.round((Date.now() - started) / 1000)} s] ${text}`);

const data = await loadDataset({ folder, sets, folds, limit: Number(flags.limit) });
note(`${data.pages.length} pages, ${data.labels.length} blocks, ${data.width} features`);

fillLexical(data, crossLexicon());
note('lexicon, cross-validated');
const stageOne = binFeatures(data.values, data.width);
const chancesOne = crossPredict(await boostAll(foldTasks(stageOne, first)), data.values, data.width);
note(`first stage, cross-validated\n${report(data.pages, (page) => choose(page, chancesOne))}`);

note(`${forgetContradictions()} pages left out of what follows: their gold text contradicts all others`);

const wide = await widen(data, chancesOne);
const stageTwo = binFeatures(wide.values, wide.width);
const [wholeOne, wholeTwo, ...foldsTwo] = await boostAll([
  boostTask(stageOne, first, () => true),
  boostTask(stageTwo, second, () => true),
  ...foldTasks(stageTwo, second),
]);
const lexicon = trainLexicon(
  data,
  labelledRows(data, () => true),
);
const model = encodeModel(lexicon, [wholeOne as Grown, stageOne], [wholeTwo as Grown, stageTwo]);
writeFileSync(flags.out, model);
note(`wrote ${flags.out}, ${model.length} bytes`);

const chancesTwo = crossPredict(foldsTwo, wide.values, wide.width);
note(`second stage, cross-validated\n${report(data.pages, (page) => choose(page, chancesTwo))}`);
const chances = chancesOne.map((chance, row) => combine(chance, chancesTwo[row] as number));
note(`both stages, cross-validated\n${report(data.pages, (page) => choose(page, chances))}`);
if (flags.dump !== undefined) {
  writeFileSync(`${flags.dump}.f32`, chancesTwo);
  writeFileSync(`${flags.dump}-first.f32`, chancesOne);
  writeFileSync(
    `${flags.dump}.json`,
    JSON.stringify(
      data.pages.map(({ id, set, type, url, first: start, count }) => ({ id, set, type, url, start, count })),
    ),
  );
}

/** Gold texts that hold a small part of the article, or another page, teach nothing: such pages lose their weight. */
function forgetContradictions(): number {
  const contradicts = data.pages.filter(
    (page) =>
      page.gold.length > 0 &&
      scoreWords(page, choose(page, chancesOne)).f1 < (page.type === 'article' ? 0.4 : 0.2),
  );
  for (const page of contradicts) data.weights.fill(0, page.first, page.first + page.count);
  return contradicts.length;
}

/** What a lexicon that did not see the page says of each row. */
function crossLexicon(): Float32Array {
  const scores = new Float32Array(data.labels.length * LEXICAL_WIDTH);
  for (let fold = 0; fold < folds; fold++) {
    const lexicon = trainLexicon(
      data,
      labelledRows(data, (page) => page.fold !== fold),
    );
    for (const page of data.pages)
      if (page.fold === fold) scoreLexical(data, lexicon, page.first, page.count, scores);
  }
  return scores;
}

function fillLexical(dataset: Dataset, scores: Float32Array): void {
  for (let row = 0; row < dataset.labels.length; row++)
    dataset.values.set(scores.subarray(row * LEXICAL_WIDTH, (row + 1) * LEXICAL_WIDTH), row * dataset.width);
}

/** For each fold a forest that sees neither its pages nor its sites. */
function foldTasks(binned: Binned, options: BoostOptions): BoostTask[] {
  return Array.from({ length: folds }, (_, fold) => boostTask(binned, options, (page) => page.fold !== fold));
}

function boostTask(binned: Binned, options: BoostOptions, takes: (page: TrainingPage) => boolean): BoostTask {
  return { binned, rows: labelledRows(data, takes), labels: data.labels, weights: data.weights, options };
}

/** The chance of every row by the forest that did not see it. */
function crossPredict(forests: Grown[], values: Float32Array, width: number): Float32Array {
  const chances = new Float32Array(data.labels.length);
  const walks = forests.map(({ forest }) => layOut(forest));
  for (const page of data.pages) {
    const walk = walks[page.fold] as Walk;
    const rows = Int32Array.from({ length: page.count }, (_, index) => page.first + index);
    chances.set(predict(walk, { values, width }, rows), page.first);
  }
  return chances;
}

function labelledRows(dataset: Dataset, takes: (page: TrainingPage) => boolean): Int32Array {
  const rows: number[] = [];
  for (const page of dataset.pages) {
    if (!takes(page)) continue;
    for (let row = page.first; row < page.first + page.count; row++)
      if ((dataset.weights[row] as number) > 0) rows.push(row);
  }
  return Int32Array.from(rows);
}

/** Adds the context features; pages are read again, because their trees are too large to keep. */
async function widen(
  dataset: Dataset,
  chances: Float32Array,
): Promise<{ values: Float32Array; width: number }> {
  const width = dataset.width + CONTEXT_WIDTH;
  const values = new Float32Array(dataset.labels.length * width);
  let number = 0;
  for (const set of sets) {
    for await (const raw of readPages(folder, set.name, Number(flags.limit))) {
      const { first, count } = dataset.pages[number++] as TrainingPage;
      for (let row = first; row < first + count; row++)
        values.set(dataset.values.subarray(row * dataset.width, (row + 1) * dataset.width), row * width);
      const own = values.subarray(first * width, (first + count) * width);
      addContext(surveyHtml(raw.html), { values: own, width }, chances.subarray(first, first + count));
    }
  }
  return { values, width };
}

function choose(page: TrainingPage, chances: Float32Array): Uint8Array {
  // As in the product: what is hidden is never shown, so it does not weigh in the choice.
  const words = page.words.map((count, index) => (page.hidden[index] === 1 ? 0 : count));
  const own = chances.subarray(page.first, page.first + page.count);
  const keep = chooseBlocks(words, agree(page.paths, own));
  return visibleOnce(page, keep);
}

function visibleOnce(page: TrainingPage, keep: Uint8Array): Uint8Array {
  const seen = new Set<string>();
  return keep.map((value, index) => {
    if (value === 0 || page.hidden[index] === 1) return 0;
    if ((page.words[index] as number) < REPEAT_WORDS_MIN || page.repeatable[index] === 1) return 1;
    const text = page.texts[index] as string;
    if (seen.has(text)) return 0;
    seen.add(text);
    return 1;
  });
}
