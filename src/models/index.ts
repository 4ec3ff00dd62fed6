import { anthropic } from './anthropic.ts';
import type { ModelApi } from './model.ts';
import { openai } from './openai.ts';

/** Every way to reach a model. */
export const modelApis: ModelApi[] = [openai, anthropic];
