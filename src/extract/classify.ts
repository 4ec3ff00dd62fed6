import { LIMITS } from '../core/limits.ts';
import { chooseBlocks, combine } from './choose.ts';
import { addContext, CONTEXT_WIDTH } from './context.ts';
import { describeBlocks } from './features.ts';
import { type Model, predictAgain, predictAll, readModel } from './model.ts';
import stored from './model.json' with { type: 'json' };
import { keepByRules } from './rules.ts';
import type { Survey } from './survey.ts';

let model: Model | undefined;

/** Which blocks are content: by the model, or by rules when the model does not fit these features. */
export function classifyBlocks(survey: Survey, url: string | undefined): Uint8Array {
  const count = survey.tree.blocks.length;
  if (count === 0) return new Uint8Array(0);
  // Real pages have hundreds of blocks; describing a hundred thousand would cost more memory than a page may have.
  if (count > LIMITS.extractBlocksMax) return keepByRules(survey.tree, survey.measures);
  model ??= readModel(stored);
  const [first, second] = model.stages;
  const table = describeBlocks(survey, url, model.lexicon, CONTEXT_WIDTH);
  if (first === undefined || second === undefined || second.width !== table.width)
    return keepByRules(survey.tree, survey.measures);
  const chances = predictAll(first, table, count);
  addContext(survey, table, chances);
  const later = predictAgain(second, table, chances);
  // What is hidden is left out later whatever is chosen here, so it must not weigh in the choice.
  const words = Float64Array.from(survey.measures, (measure, index) =>
    survey.tree.blocks[index]?.element.hidden === '' ? measure.words : 0,
  );
  return chooseBlocks(
    words,
    chances.map((chance, index) => combine(chance, later[index] as number)),
  );
}
