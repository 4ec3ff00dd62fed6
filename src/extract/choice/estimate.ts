import { LIMITS } from '../../core/limits.ts';
import { describeBlocks } from '../features/features.ts';
import type { FeatureTable } from '../features/row.ts';
import type { Survey } from '../features/survey.ts';
import { settle } from './choose.ts';
import { addContext, CONTEXT_WIDTH } from './context.ts';
import { type Model, predictAgain, predictAll, readModel } from './model.ts';
import stored from './model.json' with { type: 'json' };
import { keepByRules } from './rules.ts';

let model: Model | undefined;

/**
 * Estimates the probability that each block is content, with the model or, for very large pages, with rules.
 * `watch` receives the features.
 */
export function estimateChances(
  survey: Survey,
  url: string | undefined,
  watch?: (table: FeatureTable) => void,
): Float32Array {
  const count = survey.tree.blocks.length;
  const byRules = (): Float32Array => Float32Array.from(keepByRules(survey.tree, survey.measures));
  // Real pages have hundreds of blocks; describing a hundred thousand would cost more memory than a page may have.
  if (count === 0 || count > LIMITS.extractBlocksMax) return byRules();
  model ??= readModel(stored);
  const [first, second] = model.stages;
  const table = describeBlocks(survey, url, model.lexicon, CONTEXT_WIDTH);
  if (first === undefined || second === undefined || second.width !== table.width) return byRules();
  const early = predictAll(first, table, count);
  addContext(survey, table, early);
  watch?.(table);
  return settle(survey.paths, early, predictAgain(second, table, early));
}
