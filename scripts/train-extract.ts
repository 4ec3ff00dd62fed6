/**
 * Trains the model of the extractor: `npx tsx scripts/train-extract.ts --data DIR [--out FILE] [--split host|page] [--folds 4] [--limit N]`. DIR holds
 * `wcxb-dev.jsonl.gz`, `traf.jsonl.gz` and `articles.jsonl.gz`; see docs/extraction-model.md. The result is the same for the same data.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scoreWords } from '../benchmarks/extraction/metric.ts';
import { settle } from '../src/extract/choice/choose.ts';
import { addContext, CONTEXT_WIDTH } from '../src/extract/choice/context.ts';
import { LEXICAL_WIDTH } from '../src/extract/features/features.ts';
import { layOut, predict, type Walk } from '../src/extract/choice/forest.ts';
import type { Survey } from '../src/extract/features/survey.ts';
import { readMain } from '../src/extract/passes/index.ts';
import { buildTree } from '../src/extract/parse/tree.ts';
import { writeText } from '../src/extract/write/text.ts';
import {
  type Dataset,
  loadDataset,
  presentSets,
  readPages,
  realUrl,
  type TrainingPage,
} from './train/dataset.ts';
import type { BoostTask } from './train/boost-task.ts';
import { boostAll } from './train/boost-threads.ts';
import { type Binned, binFeatures, type BoostOptions, type Grown } from './train/gbdt.ts';
import { scoreLexical, trainLexicon } from './train/lexical.ts';
import { encodeModel } from './train/model-file.ts';
import { report } from './train/score.ts';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, '../src/extract/choice/model.json') },
    folds: { type: 'string', default: '4' },
    split: { type: 'string', default: 'host' },
    limit: { type: 'string', default: 'Infinity' },
    trees: { type: 'string', default: '200' },
  },
});
if (flags.data === undefined) throw new Error('Say where the training data is: --data DIR');

const folder = flags.data;
const folds = Number(flags.folds);
const sets = presentSets(folder);
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

const split = flags.split === 'page' ? 'page' : 'host';
const data = await loadDataset({ folder, sets, folds, split, limit: Number(flags.limit) });
note(`${data.pages.length} pages, ${data.labels.length} blocks, ${data.width} features`);

fillLexical(data, crossLexicon());
note('lexicon, cross-validated');
const stageOne = binFeatures(data.values, data.width);
const chancesOne = crossPredict(await boostAll(foldTasks(stageOne, first)), data.values, data.width);

// Pages are read again where their trees are needed, because these are too large to keep.
const wide = {
  values: new Float32Array(data.labels.length * (data.width + CONTEXT_WIDTH)),
  width: data.width + CONTEXT_WIDTH,
};
const textsOne = await readAll((page, survey) => {
  const early = ownRows(page, chancesOne);
  widen(page, survey, early);
  return settle(survey.paths, early, early);
});
note(`first stage, cross-validated by ${split}\n${report(data.pages, textsOne)}`);
note(
  `${forgetContradictions(textsOne)} pages left out of what follows: their gold text contradicts all others`,
);

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
const textsTwo = await readAll((page, survey) =>
  settle(survey.paths, ownRows(page, chancesOne), ownRows(page, chancesTwo)),
);
note(`both stages, cross-validated by ${split}\n${report(data.pages, textsTwo)}`);

/** Gold texts that hold a small part of the article, or another page, teach nothing: such pages lose their weight. */
function forgetContradictions(texts: string[]): number {
  const contradicts = data.pages.filter(
    (page, index) =>
      page.gold !== undefined &&
      page.gold !== '' &&
      scoreWords(page.gold, texts[index] as string).f1 < (page.type === 'article' ? 0.4 : 0.2),
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
    chances.set(predict(walk, { values, width, names: [] }, rows), page.first);
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

function ownRows(page: TrainingPage, chances: Float32Array): Float32Array {
  return chances.subarray(page.first, page.first + page.count);
}

/** What the product would make of every page if these were its blocks' chances. */
async function readAll(estimate: (page: TrainingPage, survey: Survey) => Float32Array): Promise<string[]> {
  const texts: string[] = [];
  for (const set of sets) {
    for await (const raw of readPages(folder, set.name, Number(flags.limit))) {
      const page = data.pages[texts.length] as TrainingPage;
      const { tree, keep } = readMain(buildTree(raw.html), realUrl(raw.url), {
        estimate: (survey) => estimate(page, survey),
      });
      texts.push(writeText(tree, keep));
    }
  }
  return texts;
}

/** Fills the page's rows for the second stage: the features, and what the first stage thinks of the surroundings. */
function widen({ first, count }: TrainingPage, survey: Survey, chances: Float32Array): void {
  const { values, width } = wide;
  for (let row = first; row < first + count; row++)
    values.set(data.values.subarray(row * data.width, (row + 1) * data.width), row * width);
  addContext(
    survey,
    { names: [], values: values.subarray(first * width, (first + count) * width), width },
    chances,
  );
}
