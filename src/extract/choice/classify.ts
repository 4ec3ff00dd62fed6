import { LIMITS } from '../../core/limits.ts';
import { agree, chooseBlocks, combine } from './choose.ts';
import { addContext, CONTEXT_WIDTH } from './context.ts';
import { describeBlocks } from '../features/features.ts';
import { type Model, predictAgain, predictAll, readModel } from './model.ts';
import stored from './model.json' with { type: 'json' };
import { keepByRules } from './rules.ts';
import type { Survey } from '../features/survey.ts';

let model: Model | undefined;

/** Which blocks are kept, and the chance of each to be content. */
interface Verdict {
  keep: Uint8Array;
  chances: Float32Array;
}

/** Which blocks are content: by the model, or by rules when the model does not fit these features. */
export function classifyBlocks(survey: Survey, url: string | undefined): Verdict {
  const count = survey.tree.blocks.length;
  if (count === 0) return byRules(survey);
  // Real pages have hundreds of blocks; describing a hundred thousand would cost more memory than a page may have.
  if (count > LIMITS.extractBlocksMax) return byRules(survey);
  model ??= readModel(stored);
  const [first, second] = model.stages;
  const table = describeBlocks(survey, url, model.lexicon, CONTEXT_WIDTH);
  if (first === undefined || second === undefined || second.width !== table.width) return byRules(survey);
  const early = predictAll(first, table, count);
  addContext(survey, table, early);
  const later = predictAgain(second, table, early);
  const both = early.map((chance, index) => combine(chance, later[index] as number));
  const chances = agree(survey.paths, both);
  // What is hidden is left out later whatever is chosen here, so it must not weigh in the choice.
  const words = Float64Array.from(survey.measures, (measure, index) =>
    survey.tree.blocks[index]?.element.hidden === '' ? measure.words : 0,
  );
  return { keep: chooseBlocks(words, chances), chances };
}

function byRules(survey: Survey): Verdict {
  const keep = keepByRules(survey.tree, survey.measures);
  return { keep, chances: Float32Array.from(keep) };
}
